import type { ValidationResult } from '@holdfast/agent/run';
import { duration } from '../amounts.ts';
import { clean } from '../clean.ts';
import { endPhrase, foldPhrase, reminderPhrase, retryPhrase, verdictPhrase } from '../phrases.ts';
import type { Style } from '../style.ts';
import { columnsOf, cut, cutMiddle, pad, wrap } from '../text.ts';
import type { Line } from './run-watch.ts';

const NAME_COLUMNS = 11;
// Longer lines are hard to read.
const READABLE = 110;
// Shorter calls are not worth a duration.
const LONG_MS = 1_000;
const OUTPUT_LINES = 4;

/** A line as rows for the terminal's log, none wider than `columns`. Pure. */
export function logRows(line: Line, columns: number, style: Style): string[] {
  const { colours, marks } = style;
  const indented = (mark: string, text: string, paint: (text: string) => string) =>
    wrap(text, Math.max(1, columns - 4)).map((row, i) => `  ${i === 0 ? mark : ' '} ${paint(row)}`);
  switch (line.type) {
    case 'iteration':
      return ['', ruled(`Iteration ${line.iteration}${line.max > 0 ? `/${line.max}` : ''}`, columns, style)];
    case 'call':
      return [
        callRow(line, columns, style),
        ...(line.output === undefined ? [] : indented(' ', clean(line.output).trim(), colours.dim)),
      ];
    case 'fold': {
      const phrase = foldPhrase(line.receipt, marks.arrow);
      const verdicts = verdictPhrase(line.receipt);
      const rest = verdicts !== '' && columnsOf(phrase) + columnsOf(verdicts) + 6 <= columns ? `  ${verdicts}` : '';
      const rows = indented(colours.magenta(marks.fold), phrase, colours.magenta);
      return rest === '' ? rows : [`${rows.join(' ')}${colours.dim(rest)}`];
    }
    case 'reminder-add':
      return indented(colours.dim(marks.fold), reminderPhrase(line), colours.dim);
    case 'validation':
      return checkRows(line.result, columns, style);
    case 'retry':
      return indented(colours.yellow('!'), retryPhrase(line), colours.yellow);
    case 'log':
      return line.level === 'warn'
        ? indented(colours.yellow('!'), clean(line.text), colours.yellow)
        : indented(colours.dim('·'), clean(line.text), colours.dim);
    case 'said':
      return [
        `  ${colours.dim('│')} ${colours.dim(cut(clean(line.text).trim(), Math.max(1, Math.min(columns, READABLE) - 4)))}`,
      ];
  }
}

/** A heading with a rule to its right. */
function ruled(heading: string, columns: number, { colours, marks }: Style): string {
  const text = cut(heading, Math.max(1, columns - 6));
  const rest = Math.max(0, Math.min(columns, READABLE) - columnsOf(text) - 4);
  return `${colours.dim(marks.rule.repeat(2))} ${colours.bold(text)} ${colours.dim(marks.rule.repeat(rest))}`;
}

/** What a call is about, cut to `columns`: a path in the middle, anything else at the end. Pure. */
export function aboutIn(about: string, columns: number): string {
  const text = clean(about).trim();
  return text.includes(' ') ? cut(text, columns) : cutMiddle(text, columns);
}

/** A call that has ended: `✗ run_command npm test  exit 1 · 12s`. `more`: what else is known of it. Pure. */
export function callRow(
  call: Omit<Line & { type: 'call' }, 'type'>,
  columns: number,
  { colours, marks }: Style,
  more: readonly string[] = [],
): string {
  const name = cut(clean(call.name), Math.max(1, columns - 4));
  const took = call.elapsedMs >= LONG_MS ? duration(call.elapsedMs) : '';
  const known = [clean(endPhrase(call)), ...more, took].filter((part) => part !== '').join(` ${marks.dot} `);
  const room = columns - 4 - Math.max(NAME_COLUMNS, columnsOf(name));
  const rest = columnsOf(known) > 0 && columnsOf(known) + 2 <= room ? `  ${known}` : '';
  const about = room - columnsOf(rest) > 3 ? ` ${aboutIn(call.about, room - columnsOf(rest) - 1)}` : '';
  const label = about.trim() === '' ? name : pad(name, NAME_COLUMNS);
  const mark = call.failed ? colours.red(marks.failed) : colours.green(marks.passed);
  const paint = call.failed ? colours.red : colours.dim;
  return `  ${mark} ${call.failed ? colours.red(label) : label}${paint(about)}${paint(rest)}`;
}

function checkRows(result: ValidationResult, columns: number, { colours, marks }: Style): string[] {
  const ended = result.passed ? '' : result.exitCode === null ? ' killed by a signal' : ` exit ${result.exitCode}`;
  const took = ` ${duration(result.elapsedMs)}`;
  const label = 'check ';
  const room = columns - 4 - columnsOf(label) - columnsOf(ended) - columnsOf(took);
  const command = cut(clean(result.command), Math.max(1, room));
  const mark = result.passed ? colours.green(marks.passed) : colours.red(marks.failed);
  const paint = result.passed ? colours.green : colours.red;
  const head = cut(`${label}${command}${ended}`, Math.max(1, columns - 4 - columnsOf(took)));
  const row = `  ${mark} ${paint(head)}${columns - 4 - columnsOf(head) >= columnsOf(took) ? colours.dim(took) : ''}`;
  if (result.passed) return [row];
  const output = result.output
    .split('\n')
    .map(clean)
    .filter((text) => text.trim() !== '');
  return [row, ...output.slice(-OUTPUT_LINES).map((text) => `    ${colours.dim(cut(text, Math.max(1, columns - 4)))}`)];
}
