import type { Colours } from './colours.ts';
import { columnsOf, cut, pad } from './text.ts';

/** A column of a table. The last one gets the room that is left. */
export interface Column {
  readonly head: string;
  readonly cells: readonly string[];
  /** Left out on narrow terminals, the highest number first. */
  readonly drop?: number;
}

const GAP = 2;
const LAST_COLUMNS = 20;
const MOST_COLUMNS = 60;

/** A table that fits a terminal of `columns`; any width without it. Pure. */
export function tableText(all: readonly Column[], columns: number | undefined, paint: Colours): string {
  const shown = fitting(all, columns ?? Number.POSITIVE_INFINITY);
  const widths = shown.map(widthOf);
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const room = Math.min(MOST_COLUMNS, Math.max(1, (columns ?? Number.POSITIVE_INFINITY) - before));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === row.length - 1 ? cut(cell, room) : pad(cell, widths[at] ?? 0))).join(' '.repeat(GAP));
  const rows = (shown[0]?.cells ?? []).map((_, at) => line(shown.map(({ cells }) => cells[at] ?? '')).trimEnd());
  return [paint.dim(line(shown.map(({ head }) => head))), ...rows].join('\n');
}

function widthOf({ head, cells }: Column): number {
  return Math.max(...[head, ...cells].map(columnsOf));
}

function fitting(all: readonly Column[], columns: number): readonly Column[] {
  const fixed = all.slice(0, -1).reduce((sum, column) => sum + widthOf(column) + GAP, 0);
  const last = Math.min(LAST_COLUMNS, ...all.slice(-1).map(widthOf));
  const [least] = all.filter(({ drop }) => drop !== undefined).toSorted((a, b) => (b.drop ?? 0) - (a.drop ?? 0));
  return fixed + last <= columns || !least
    ? all
    : fitting(
        all.filter((one) => one !== least),
        columns,
      );
}
