/** A line of a comparison. */
export interface DiffLine {
  readonly type: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Far more lines than a note has; above it, all lines count as changed. */
const MOST_CELLS = 4_000_000;

/** The lines of two texts, in order, with the fewest changes. Pure. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const [rows, columns] = [before.length + 1, after.length + 1];
  if (rows * columns > MOST_CELLS) return [...lines(before, 'removed'), ...lines(after, 'added')];
  // The longest common part of what follows each pair of places.
  const common = new Uint16Array(rows * columns);
  const at = (row: number, column: number) => common[row * columns + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      common[row * columns + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const found: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, now] = [before[row], after[column]];
    if (old !== undefined && old === now) {
      found.push({ type: 'same', text: old });
      row++;
      column++;
    } else if (now === undefined || (old !== undefined && at(row + 1, column) >= at(row, column + 1))) {
      found.push({ type: 'removed', text: old ?? '' });
      row++;
    } else {
      found.push({ type: 'added', text: now });
      column++;
    }
  }
  return found;
}

function lines(texts: readonly string[], type: DiffLine['type']): DiffLine[] {
  return texts.map((text) => ({ type, text }));
}
