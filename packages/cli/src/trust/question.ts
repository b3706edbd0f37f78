import { createInterface } from 'node:readline';
import { maskSecrets } from 'holdfast';
import { counted } from '../view/amounts.ts';
import { forDrawing } from '../view/guard-output.ts';
import { wrapProse } from '../view/prose.ts';
import { wrapLine } from '../view/text.ts';
import type { Pending } from './ensure-trust.ts';
import { visible } from './visible.ts';

/** The user's terminal; questions go to standard error. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Whether there is a terminal to ask on. */
export function hasTerminalToAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Room for an answer at the end of a row. */
const ANSWER_COLUMNS = 5;
const ANSWERS = ['yes', 'no', 'quit'] as const;
type Answer = (typeof ANSWERS)[number];

/** Asks whether to trust; `isOptional`: the command can do without. See `askYes`. */
export function askTrust(terminal: Terminal, isOptional = false): Promise<Answer> {
  return askYes(terminal, 'Trust it?', isOptional ? 'continue without it' : undefined);
}

/** Asks until the answer is valid; Ctrl-C, Ctrl-D and the end of input mean `quit`. `no`: what happens then. */
export async function askYes({ stdin, stderr }: Terminal, question: string, no?: string): Promise<Answer> {
  const lines = createInterface({ input: stdin, output: forDrawing(stderr), terminal: true, historySize: 0 });
  const ask = (prompt: string) =>
    new Promise<Answer | undefined>((resolve) => {
      lines.once('close', () => resolve('quit'));
      lines.question(prompt, (answer) => resolve(answerIn(answer.trim().toLowerCase())));
    });
  lines.once('SIGINT', () => lines.close());
  try {
    const choices = `[y]es, remember it · [n]o${no === undefined ? '' : `, ${no}`} · [q]uit`;
    let answer = await ask(`${wrapProse(`${question} ${choices}:`, stderr.columns - ANSWER_COLUMNS)} `);
    while (answer === undefined) answer = await ask('Answer y, n or q: ');
    if (answer === 'quit') stderr.write('\n');
    return answer;
  } finally {
    lines.close();
  }
}

function answerIn(text: string): Answer | undefined {
  return ANSWERS.find((answer) => text === answer || text === answer.charAt(0));
}

/** The text before the question. `screen`: instructions are wrapped and shortened, so that it shows the question too. Pure. */
export function pendingLines(folder: string, pending: readonly Pending[], screen?: Screen): string[] {
  const hasValues = pending.some(({ item }) => item.kind === 'values');
  // Values come right above the question, where long instructions cannot push them off the screen.
  const sorted = pending.toSorted((a, b) => Number(a.item.kind === 'values') - Number(b.item.kind === 'values'));
  const files = Math.min(pending.length, MOST_FILES);
  const all = screen?.rows ? Math.max(LEAST_SHOWN, screen.rows - OWN_ROWS) : SHOWN;
  const room = { rows: Math.max(3, Math.floor(all / files)), columns: screen?.columns || undefined };
  const unseen = pending.length - files;
  const isKnown = pending.every(({ before }) => before !== undefined);
  return [
    `${visible(folder)} ${isKnown ? 'has changed since you trusted it.' : 'is not trusted yet. It wants to set this:'}`,
    ...(unseen > 0 ? ['', `${unseen} more files with instructions are not shown`] : []),
    ...sorted.slice(Math.max(0, sorted.length - MOST_FILES)).flatMap((one) => ['', ...itemLines(one, room)]),
    '',
    hasValues
      ? 'Settings like these can send your API key elsewhere, start programs, and run commands as you.'
      : 'A model follows instructions like these, using the tools you give it.',
    'Say yes only if you know who wrote them. You will be asked again if they change.',
  ];
}

/** Wraps sentences; settings stay as they are, to be compared with their file. Pure. */
export function wrapSentences(lines: readonly string[], columns: number | undefined): string {
  return lines.map((line) => (line.startsWith(' ') ? line : wrapProse(line, columns))).join('\n');
}

/** The size of a terminal; 0 if it does not know it. */
interface Screen {
  readonly rows: number;
  readonly columns: number;
}

/** Limits for the lines of all instructions together, and for files. Values are always shown in full. */
const SHOWN = 60;
const LEAST_SHOWN = 6;
const MOST_FILES = 30;
/** The rows of the question, and of what is said around the instructions. */
const OWN_ROWS = 12;

interface Room {
  readonly rows: number;
  readonly columns: number | undefined;
}

function itemLines({ item, before }: Pending, room: Room): string[] {
  const name = visible(item.name);
  if (before !== undefined) {
    const changes = changedLines(
      before.split('\n'),
      item.lines.map((line) => maskSecrets(line)),
    );
    return [`${name} changed:`, ...indented(item.kind === 'values' ? changes : cut(changes, room, name))];
  }
  if (item.kind === 'values') return [`${name} sets`, ...indented(item.lines)];
  return [`${name} instructs the model`, ...indented(cut(item.lines, room, name, '| '))];
}

/** The first lines, each row after `mark`, and how many more there are. */
function cut(lines: readonly string[], { rows: most, columns }: Room, name: string, mark = ''): string[] {
  const rows: string[] = [];
  let whole = 0;
  for (const line of lines) {
    const own = columns ? wrapLine(line, Math.max(1, columns - INDENT.length - mark.length)) : [line];
    rows.push(...own.map((row) => `${mark}${row}`));
    if (rows.length > most) break;
    whole += 1;
  }
  const more = lines.length - whole;
  return more > 0 ? [...rows.slice(0, most), `… ${counted(more, 'more line')}: read ${name}`] : rows;
}

/** Removed and added lines. */
function changedLines(before: readonly string[], after: readonly string[]): string[] {
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line}`);
  const came = after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`);
  const all = [...gone, ...came];
  return all.length === 0 ? ['(no new lines: only their order or number, blank space, or a hidden key changed)'] : all;
}

const INDENT = '  ';

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `${INDENT}${line}`);
}
