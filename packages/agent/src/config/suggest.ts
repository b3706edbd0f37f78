const LONGEST = 64;

/** The candidate the user probably meant: the nearest by edit distance, else the only one with this prefix, else none. Pure. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  const plain = (one: string) => one.toLowerCase().replace(/[-_\s]/g, '');
  const [best] = candidates
    .map((candidate) => ({ candidate, away: distance(plain(word), plain(candidate)) }))
    .filter(({ candidate, away }) => away <= Math.max(1, Math.floor(Math.min(word.length, candidate.length) / 3)))
    .sort((a, b) => a.away - b.away);
  const begun = candidates.filter((candidate) => word.length > 2 && plain(candidate).startsWith(plain(word)));
  return best?.candidate ?? (begun.length === 1 ? begun[0] : undefined);
}

function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
