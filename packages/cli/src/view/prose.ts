import { columnsOf } from './text.ts';

/** Words, and commands in backticks, which must stay whole to be copied. */
const PARTS = /(?:`[^`\n]*`|\S)+/g;

/**
 * Wraps a line at blanks; continuation rows start with `indent`. Words and commands in backticks are never broken, even if they
 * are wider than `columns`. Without columns, or with 0, as some terminals report: no wrapping. Pure.
 */
export function wrapProse(line: string, columns: number | undefined, indent = ''): string {
  if (!columns || columnsOf(line) <= columns) return line;
  const rows: string[] = [];
  let row = /^\s*/.exec(line)?.[0] ?? '';
  let isEmpty = true;
  for (const [part] of line.matchAll(PARTS)) {
    if (!isEmpty && columnsOf(row) + 1 + columnsOf(part) > columns) {
      rows.push(row);
      [row, isEmpty] = [indent, true];
    }
    row += isEmpty ? part : ` ${part}`;
    isEmpty = false;
  }
  return [...rows, row].join('\n');
}
