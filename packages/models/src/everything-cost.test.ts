import { expect, test } from 'vitest';
import { createEverythingCost, createEverythingCosts } from './everything-cost.ts';
import type { SessionTokens } from './token-usage.ts';

const price = ({ input, cacheRead, cacheWrite, output }: Required<SessionTokens>) =>
  input + 0.1 * cacheRead + 1.25 * cacheWrite + 5 * output;
const cached = { input: 0, cacheRead: 100, cacheWrite: 10, output: 1 };
const plain = { input: 110, cacheRead: 0, cacheWrite: 0, output: 1 };

test('the whole history reads from the cache what the previous request sent', () => {
  const everything = createEverythingCost();
  const whole = { ...cached, cacheWrite: 800 };
  // Counted as 900: better than an estimate.
  expect(everything({ tokens: whole, cost: 7, historyTokens: 870, isWhole: true }, price)).toBe(7);
  expect(everything({ tokens: cached, historyTokens: 1_000, isWhole: false }, price)).toBe(90 + 125 + 5);
  // One request that missed the cache does not mean that there is none.
  expect(everything({ tokens: plain, historyTokens: 1_000, isWhole: false }, price)).toBe(100 + 5);
  expect(everything({ tokens: cached, isWhole: false }, price)).toBeUndefined();
  expect(everything({ tokens: cached, historyTokens: 1_000, isWhole: false }, () => undefined)).toBeUndefined();
});

test('without a cache, the whole history has no cache either', () => {
  const everything = createEverythingCost();
  everything({ tokens: plain, cost: 115, historyTokens: 900, isWhole: true }, price);
  expect(everything({ tokens: plain, historyTokens: 1_000, isWhole: false }, price)).toBe(1_000 + 5);
});

test.each([undefined, 1_000])(
  'what was sent earlier may be in a cache until answers show that there is none',
  (said) => {
    const everything = createEverythingCost(said);
    expect(everything({ tokens: plain, historyTokens: 1_000, isWhole: false }, price)).toBe(100 + 5);
    expect(everything({ tokens: plain, historyTokens: 1_100, isWhole: false }, price)).toBe(1_100 + 5);
    expect(everything({ tokens: cached, historyTokens: 1_200, isWhole: false }, price)).toBe(110 + 125 + 5);
  },
);

test('each model has its own cache, which is empty after a switch from another model', () => {
  const everything = createEverythingCosts();
  const folded = { tokens: cached, historyTokens: 1_000, isWhole: false };
  expect(everything('a')(folded, price)).toBe(100 + 5);
  expect(everything('b')(folded, price)).toBe(1_250 + 5);
  expect(everything('a')({ ...folded, historyTokens: 1_200 }, price)).toBe(100 + 250 + 5);
});
