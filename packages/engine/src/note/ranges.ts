/** The first and last index of a run of messages. */
export type Range = readonly [from: number, to: number];

/** The same messages as runs in order that do not touch. */
export function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

/** These runs without the others. */
export function withoutRanges(ranges: readonly Range[], others: readonly Range[]): readonly Range[] {
  return others.reduce<readonly Range[]>(
    (left, [from, to]) =>
      left.flatMap(([first, last]) => {
        const parts: Range[] = [
          [first, Math.min(last, from - 1)],
          [Math.max(first, to + 1), last],
        ];
        return last < from || first > to ? [[first, last] as const] : parts.filter(([a, b]) => a <= b);
      }),
    ranges,
  );
}

export function countRanges(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}
