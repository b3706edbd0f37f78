import { expect, test } from 'vitest';
import { chartCalls } from './chart-calls.ts';

const call = (n: number) => ({
  n,
  viewTokens: 1_000 + (n % 25) * 100,
  historyTokens: n,
  tokens: { input: 0, cacheRead: n === 3_333 ? 0 : 500, cacheWrite: 0, output: 0 },
});
const CALLS = Array.from({ length: 5_000 }, (_, n) => call(n));

test('a chart gets all calls if it has room for them', () => {
  expect(chartCalls(CALLS.slice(0, 600), 600)).toHaveLength(600);
  expect(chartCalls([], 600)).toEqual([]);
});

test('of thousands of calls, a chart gets those with the peaks, in order', () => {
  const shown = chartCalls(CALLS, 600);
  expect(shown.length).toBeLessThanOrEqual(602);
  expect([shown[0]?.n, shown.at(-1)?.n]).toEqual([0, 4_999]);
  expect(shown.map(({ n }) => n)).toEqual(shown.map(({ n }) => n).toSorted((a, b) => a - b));
  // The one call that missed the cache, and every level between two folds.
  expect(shown.some(({ n }) => n === 3_333)).toBe(true);
  for (let start = 0; start < 5_000; start += 100) {
    const here = shown.filter(({ n }) => n >= start && n < start + 100).map(({ viewTokens }) => viewTokens);
    expect([Math.min(...here), Math.max(...here)]).toEqual([1_000, 3_400]);
  }
});
