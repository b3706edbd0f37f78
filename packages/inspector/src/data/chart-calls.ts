import type { Call } from '../api/types.ts';

type Charted = Pick<Call, 'viewTokens' | 'historyTokens' | 'tokens'>;

/** The peaks and dips that a chart must not lose: of neighbouring calls, the one with the highest value of each. */
const EXTREMES: readonly ((call: Charted) => number)[] = [
  ({ viewTokens }) => viewTokens,
  ({ viewTokens }) => -viewTokens,
  ({ historyTokens = 0 }) => historyTokens,
  ({ tokens }) => -tokens.cacheRead,
];

/** The calls that a chart with room for about `most` shows, in order: first, last, and the extremes of each stretch. Pure. */
export function chartCalls<T extends Charted>(calls: readonly T[], most: number): readonly T[] {
  if (calls.length <= most) return calls;
  const step = (calls.length * EXTREMES.length) / most;
  const kept = new Set([0, calls.length - 1]);
  for (let start = 0; start < calls.length; start += step) {
    const [from, to] = [Math.floor(start), Math.min(calls.length, Math.floor(start + step))];
    for (const value of EXTREMES) kept.add(highest(calls, from, to, value));
  }
  return calls.filter((_, n) => kept.has(n));
}

function highest<T>(calls: readonly T[], from: number, to: number, value: (call: T) => number): number {
  let [best, top] = [from, Number.NEGATIVE_INFINITY];
  for (let n = from; n < to; n++) {
    const now = value(calls[n] as T);
    if (now > top) [best, top] = [n, now];
  }
  return best;
}
