import type { CommandEnd } from '@holdfast/agent';
import type { ToolRequest } from '@holdfast/agent/chat';
import { filledOutput, readCommandText } from '@holdfast/agent/tools';
import { counted } from '../../view/amounts.ts';
import { clean } from '../../view/clean.ts';
import { visible } from '../../view/harmless.ts';
import { callRow } from '../../view/run/log-lines.ts';
import type { Style } from '../../view/style.ts';
import { cut, wrapText } from '../../view/text.ts';
import { moreRow } from './details.ts';
import { type Diff, diffPhrase, diffRows } from './diff-rows.ts';

/** A call that has ended, and what is known of it. */
export interface EndedCall extends Partial<CommandEnd> {
  readonly name: string;
  readonly about: string;
  readonly failed: boolean;
  /** Without the time that the user took to answer. */
  readonly elapsedMs: number;
  /** As the model gets it. */
  readonly result?: string;
  readonly diff?: Diff;
}

const LAST_LINES = 5;
const ASKED_ROWS = 40;
const LEAST_ASKED_ROWS = 5;
/** Below a call to approve: the question with its answers, and the status line. */
const QUESTION_ROWS = 12;

/** One row that says how a call ended, and the last lines of its output if it failed or ran a command. Pure. */
export function endedRows(call: EndedCall, columns: number, style: Style, key: string): string[] {
  const { lines, isCut } = outputLines(call);
  if (!hasTail(call)) return [endedRow(call, lines.length, columns, style)];
  const last = lines.slice(-LAST_LINES);
  const hidden = lines.length - last.length;
  return [
    endedRow(call, 0, columns, style),
    ...(hidden > 0 ? [moreRow(isCut ? 'more' : counted(hidden, 'earlier line'), key, columns, style)] : []),
    ...last.map((line) => style.colours.dim(cut(`    ${line}`, columns))),
  ];
}

/** The whole output, even if the model got only some of it. Pure, but for `stored`. */
export function outputRows(
  { result = '' }: EndedCall,
  columns: number,
  stored: (handle: string) => string | undefined,
): string[] {
  const text = filledOutput(result, stored).trimEnd();
  return text === '' ? ['  (no output)'] : wrapText(text, Math.max(1, columns - 2)).map((row) => `  ${row}`);
}

function hasTail({ exitCode, failed }: EndedCall): boolean {
  return failed || exitCode !== undefined;
}

/** The lines of a result, without what the row of a command says already; `isCut` if the model got only some of them. */
function outputLines({ result = '', exitCode }: EndedCall): {
  readonly lines: readonly string[];
  readonly isCut: boolean;
} {
  const text = result.trimEnd();
  const { lines, isCut } = exitCode === undefined ? { lines: text.split('\n'), isCut: false } : readCommandText(text);
  const shown = lines.map((line) => clean(line.replaceAll('\t', '    ')).trimEnd());
  return { lines: shown.length === 1 && shown[0] === '' ? [] : shown, isCut };
}

function endedRow(call: EndedCall, lines: number, columns: number, style: Style): string {
  const { failed, diff, exitCode } = call;
  const size = diff ? diffPhrase(diff) : lines > 0 ? counted(lines, 'line') : '';
  return callRow(call, columns, style, failed ? [] : [exitCode === 0 ? 'exit 0' : '', size]);
}

/** A call to approve: its diff, or all its arguments; shortened to fit a screen of `height` with the question. Pure. */
export function askedRows(
  call: ToolRequest,
  diff: Diff | undefined,
  columns: number,
  height: number,
  style: Style,
  key: string,
) {
  const rows = fullRows(call, diff, columns, style);
  const room = Math.max(LEAST_ASKED_ROWS, Math.min(ASKED_ROWS, height - QUESTION_ROWS));
  const most = room + 1;
  if (rows.length <= most) return { rows, isShort: false };
  // The end of a command matters as much as its start.
  const tail = diff ? 0 : Math.floor(room / 2);
  const hidden = moreRow(counted(rows.length - most, 'more row'), key, columns, style);
  return { rows: [...rows.slice(0, most - tail), hidden, ...(tail > 0 ? rows.slice(-tail) : [])], isShort: true };
}

/** The same without a limit. Pure. */
export function fullRows(call: ToolRequest, diff: Diff | undefined, columns: number, style: Style): string[] {
  const { yellow } = style.colours;
  if (!call.change || !diff) return [...wrapText(`? ${call.name}`, columns), ...inputRows(call, columns)].map(yellow);
  const about = `${call.change.path} ${call.change.before === undefined ? '(new file) ' : ''}${diffPhrase(diff)}`;
  return [...wrapText(`? ${call.name} ${about}`, columns).map(yellow), ...diffRows(diff, columns, style)];
}

function inputRows({ input }: ToolRequest, columns: number): string[] {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input]];
  return fields.flatMap(([key, value]) => {
    const text = visible(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
    const body = wrapText(text, Math.max(1, columns - 4)).map((row) => `    ${row}`);
    const single = `  ${clean(String(key))}: ${text}`;
    return body.length === 1 && wrapText(single, columns).length === 1
      ? wrapText(single, columns)
      : [...wrapText(`  ${clean(String(key))}:`, columns), ...body];
  });
}
