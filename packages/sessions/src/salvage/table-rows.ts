import type { DatabaseSync } from 'node:sqlite';

/** A row by the places of its columns: a damaged store may have lost their names. The first is the row's key. */
export type TableRow = readonly unknown[];

/** Failed reads before the rest is given up: about a second. */
const MOST_FAILED = 200_000;
const DAMAGED = Symbol();

/**
 * The rows of a table that can be read, on all sides of those that cannot, in no order. `most`: no key is larger. Throws if there
 * is no such table.
 */
export function* readableRows(db: DatabaseSync, table: string, most: number): Generator<TableRow> {
  const select = `SELECT * FROM ${table} NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid`;
  const queries = { up: db.prepare(`${select} LIMIT 1`), down: db.prepare(`${select} DESC LIMIT 1`) };
  let failed = 0;
  const next = (direction: 'up' | 'down', low: number, high: number) => {
    try {
      const row = queries[direction].get(low, high);
      return row && (Object.values(row) as TableRow);
    } catch {
      failed++;
      return DAMAGED;
    }
  };
  const stretches: (readonly [low: number, high: number])[] = [[1, most]];
  for (let stretch = stretches.shift(); stretch && failed < MOST_FAILED; stretch = stretches.shift()) {
    let [low, high] = stretch;
    for (const direction of ['up', 'down'] as const) {
      let row = next(direction, low, high);
      for (; row && row !== DAMAGED; row = next(direction, low, high)) {
        yield row;
        if (direction === 'up') low = Number(row[0]) + 1;
        else high = Number(row[0]) - 1;
      }
      // Nothing is left in this stretch.
      if (!row) low = high + 1;
    }
    // Both of its ends are damaged: what is between them may not be.
    const middle = Math.floor((low + high) / 2);
    if (low < high) stretches.push([low, middle], [middle + 1, high]);
  }
}
