import { counted } from '../../view/amounts.ts';
import type { Style } from '../../view/style.ts';
import { cut } from '../../view/text.ts';

/** The full form of what the chat showed shortened, newest first: what Ctrl-O prints. Stateful. */
export type Details = ReturnType<typeof createDetails>;

const KEPT = 20;
const MOST_ROWS = 20_000;

/** Keeps the newest 20. */
export function createDetails() {
  type Rows = (columns: number) => readonly string[];
  const kept: { readonly title: string; readonly rows: Rows }[] = [];
  let shown = 0;
  return {
    /** `rows` are made when somebody asks. */
    add(title: string, rows: Rows): void {
      kept.push({ title, rows });
      if (kept.length > KEPT) kept.shift();
      shown = 0;
    },
    /** The newest; called again, the one before it. Undefined if there are no more. */
    next(columns: number, { colours }: Style): string[] | undefined {
      const found = kept.at(-1 - shown);
      if (!found) return undefined;
      shown += 1;
      const rows = found.rows(columns);
      const more = rows.length - MOST_ROWS;
      return [
        colours.bold(cut(found.title, columns)),
        ...rows.slice(0, MOST_ROWS),
        ...(more > 0 ? [cut(`… ${counted(more, 'more row')}`, columns)] : []),
      ];
    },
  };
}

/** The row shown in place of hidden ones. `key` is the hint how to see them; '' where there is no such key. Pure. */
export function moreRow(what: string, key: string, columns: number, { colours }: Style): string {
  return colours.dim(cut(`    … ${what}${key === '' ? '' : ` (${key})`}`, columns));
}
