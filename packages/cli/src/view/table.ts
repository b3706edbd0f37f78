import type { Colours } from './colours.ts';
import { columnsOf, cut, pad } from './text.ts';

/** A column of a table. The last one gets the room that is left. */
export interface Column<T> {
  readonly head: string;
  cell(row: T): string;
  /** Left out on narrow terminals, the highest number first. */
  readonly drop?: number;
  /** Aligned at the right. */
  readonly isFigure?: boolean;
}

const GAP = 2;
const LAST_COLUMNS = 20;
const MOST_COLUMNS = 60;

/** The lines of a table that fits a terminal of `columns`, the first with the heads; any width without it. Pure. */
export function tableLines<T>(
  rows: readonly T[],
  all: readonly Column<T>[],
  columns = Number.POSITIVE_INFINITY,
  paint: Pick<Colours, 'dim'> = { dim: String },
): string[] {
  const measured = all.map((column) => {
    const cells = [column.head, ...rows.map((row) => column.cell(row))];
    return { ...column, cells, width: Math.max(...cells.map(columnsOf)) };
  });
  const shown = fitting(measured, columns);
  const before = shown.slice(0, -1).reduce((sum, { width }) => sum + width + GAP, 0);
  const room = Math.min(MOST_COLUMNS, Math.max(1, columns - before));
  const [head = '', ...lines] = [undefined, ...rows].map((_, line) =>
    shown
      .map(({ cells, width, isFigure }, at) => {
        const cell = cells[line] ?? '';
        if (isFigure) return ' '.repeat(width - columnsOf(cell)) + cell;
        return at === shown.length - 1 ? cut(cell, room) : pad(cell, width);
      })
      .join(' '.repeat(GAP)),
  );
  return [paint.dim(head), ...lines.map((line) => line.trimEnd())];
}

function fitting<T extends { readonly width: number; readonly drop?: number }>(
  all: readonly T[],
  columns: number,
): readonly T[] {
  const last = Math.min(LAST_COLUMNS, all.at(-1)?.width ?? 0);
  const needed = all.slice(0, -1).reduce((sum, { width }) => sum + width + GAP, last);
  const [least] = all.filter(({ drop }) => drop !== undefined).toSorted((a, b) => (b.drop ?? 0) - (a.drop ?? 0));
  if (needed <= columns || !least) return all;
  return fitting(all.toSpliced(all.indexOf(least), 1), columns);
}
