import type { Tokens } from 'marked';
import type { Style } from '../../../view/style.ts';
import { columnsOf, pad } from '../../../view/text.ts';
import { inlineSpans } from './inline.ts';
import { type Paint, PLAIN, type Span, wrapSpans } from './spans.ts';

/** A narrower column cannot be read. */
const LEAST = 5;
const GAP = 3;

/** A table within `columns`: cells wrap; where even that has no room, each row becomes a list. Pure. */
export function tableRows({ header, rows, align }: Tokens.Table, columns: number, style: Style): string[] {
  const { colours, marks } = style;
  const cells = (row: readonly Tokens.TableCell[], paint: Paint) =>
    header.map((_, i) => inlineSpans(row[i]?.tokens, style, paint));
  const head = cells(header, colours.bold);
  const body = rows.map((row) => cells(row, PLAIN));
  const wanted = header.map((_, i) => Math.max(1, ...[head, ...body].map((row) => widthOf(row[i] ?? []))));
  const widths = fitted(wanted, columns - GAP * (header.length - 1));
  if (!widths) return body.flatMap((row, i) => [...(i > 0 ? [''] : []), ...listed(head, row, columns)]);
  const joint = colours.dim(marks.box.charAt(5));
  const line = (row: readonly Span[][]) => {
    const wrapped = row.map((spans, i) => wrapSpans(spans, widths[i] ?? 1));
    const height = Math.max(...wrapped.map((one) => one.length));
    return Array.from({ length: height }, (_, at) =>
      wrapped
        .map((one, i) => aligned(one[at] ?? '', widths[i] ?? 1, align[i]))
        .join(` ${joint} `)
        .trimEnd(),
    );
  };
  const rule = colours.dim(widths.map((width) => marks.rule.repeat(width)).join(marks.rule.repeat(GAP)));
  return [...line(head), rule, ...body.flatMap(line)];
}

function widthOf(spans: readonly Span[]): number {
  return Math.max(
    0,
    ...spans
      .map((span) => span.text)
      .join('')
      .split('\n')
      .map(columnsOf),
  );
}

/** Takes room from the widest columns; undefined if there is not enough for all. */
function fitted(wanted: readonly number[], room: number): number[] | undefined {
  if (room < wanted.reduce((sum, width) => sum + Math.min(width, LEAST), 0)) return undefined;
  const widths = [...wanted];
  for (let over = widths.reduce((sum, width) => sum + width, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function aligned(row: string, width: number, align: Tokens.Table['align'][number] | undefined): string {
  const free = Math.max(0, width - columnsOf(row));
  if (align === 'right') return `${' '.repeat(free)}${row}`;
  return pad(align === 'center' ? `${' '.repeat(Math.floor(free / 2))}${row}` : row, width);
}

function listed(head: readonly Span[][], row: readonly Span[][], columns: number): string[] {
  return row.flatMap((cell, i) => wrapSpans([...(head[i] ?? []), { text: ': ', paint: PLAIN }, ...cell], columns));
}
