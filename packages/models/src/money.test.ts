import { expect, test } from 'vitest';
import { createLedger } from './ledger.ts';
import { cachePrices, costOf, tokensOf } from './money.ts';

// Chosen so that each price shows in a digit of its own.
const PRICES = { input: 1, output: 10, cache_read: 0.1, cache_write: 2, cache_write_1h: 4 };

test('Anthropic: the three parts of the prompt add up, and writes for an hour have their own price', () => {
  const usage = {
    input_tokens: 1_000,
    cache_read_input_tokens: 50_000,
    cache_creation_input_tokens: 3_000,
    cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
    output_tokens: 500,
  };
  // 1000×1 + 50000×0.1 + 1000×2 + 2000×4 + 500×10 = 21,000 millionths
  expect(costOf(usage, PRICES)).toBeCloseTo(0.021, 10);
  expect(tokensOf(usage)).toEqual({
    inputTokens: 1_000,
    cacheReadTokens: 50_000,
    cacheWriteTokens: 3_000,
    cacheWrite1hTokens: 2_000,
    outputTokens: 500,
  });
});

test('Chat Completions: cache reads and writes are part of the prompt', () => {
  const usage = {
    prompt_tokens: 10_000,
    completion_tokens: 100,
    prompt_tokens_details: { cached_tokens: 8_000, cache_write_tokens: 1_500 },
  };
  // 500×1 + 8000×0.1 + 1500×2 + 100×10 = 5,300 millionths
  expect(costOf(usage, PRICES)).toBeCloseTo(0.0053, 10);
});

test('Responses: the same under other names', () => {
  const usage = { input_tokens: 10_000, output_tokens: 100, input_tokens_details: { cached_tokens: 8_000 } };
  // 2000×1 + 8000×0.1 + 100×10 = 3,800 millionths
  expect(costOf(usage, PRICES)).toBeCloseTo(0.0038, 10);
});

test('a request above a tier is billed at that tier entirely', () => {
  const prices = { ...PRICES, tiers: [{ above: 100_000, input: 5, output: 50, cache_read: 0.5, cache_write: 10 }] };
  const usage = { input_tokens: 1_000, cache_read_input_tokens: 99_000, output_tokens: 100 };
  // at 100,000: 1000×1 + 99000×0.1 + 100×10; one token more: 1001×5 + 99000×0.5 + 100×50
  expect(costOf(usage, prices)).toBeCloseTo(0.0119, 10);
  expect(costOf({ ...usage, input_tokens: 1_001 }, prices)).toBeCloseTo(0.059505, 10);
});

test('an unknown price makes the cost unknown, unless it is not needed', () => {
  const { cache_write_1h: _, ...prices } = PRICES;
  const hour = { ephemeral_1h_input_tokens: 10 };
  expect(costOf({ input_tokens: 5, output_tokens: 5 }, undefined)).toBeUndefined();
  expect(costOf({ input_tokens: 5, output_tokens: 0 }, { input: 1 })).toBeCloseTo(0.000005, 12);
  expect(costOf({ input_tokens: 5, output_tokens: 1 }, { input: 1 })).toBeUndefined();
  expect(costOf({ input_tokens: 5, cache_creation: hour, output_tokens: 0 }, prices)).toBeUndefined();
  expect(costOf({ input_tokens: 5, output_tokens: 0 }, prices)).toBeCloseTo(0.000005, 12);
});

test.each([undefined, null, 'usage', {}, { input_tokens: 'many' }, { input_tokens: Number.NaN }])(
  '%j is not a usage object',
  (usage) => {
    expect(costOf(usage, PRICES)).toBeUndefined();
  },
);

test('a ledger adds up calls, and what sending everything would have cost', () => {
  const ledger = createLedger({ window: 12_000, prices: PRICES });
  const usage = { input_tokens: 0, cache_creation_input_tokens: 10_000, output_tokens: 100 };
  const first = ledger.add(usage, 10_000, true);
  // 10000×2 + 100×10
  expect(first).toBeCloseTo(0.021, 10);
  // folded to 6,000, of which the first 4,000 are as before; everything would be 13,000: over the window
  ledger.add(
    { input_tokens: 0, cache_read_input_tokens: 4_000, cache_creation_input_tokens: 2_000, output_tokens: 200 },
    13_000,
  );
  const { cost, everything, cacheShare, calls } = ledger.totals();
  // the second call: 4000×0.1 + 2000×2 + 200×10 = 6,400
  expect(cost).toBeCloseTo(0.0274, 10);
  expect(calls).toBe(2);
  expect(cacheShare).toBeCloseTo(4_000 / 16_000, 10);
  // 10000×2 + 100×10, then 10000×0.1 + 3000×2 + 200×10
  expect(everything?.cost).toBeCloseTo(0.021 + 0.009, 10);
  expect(everything).toMatchObject({ tokens: 23_000, largest: 13_000, overWindow: 1 });
});

test('a ledger without a price or a length reports nothing rather than too little', () => {
  const unpriced = createLedger({ window: 1_000 });
  unpriced.add({ input_tokens: 5, output_tokens: 5 }, 5);
  expect(unpriced.totals()).not.toHaveProperty('cost');
  expect(unpriced.totals().everything).not.toHaveProperty('cost');
  const untold = createLedger({ window: 1_000, prices: PRICES });
  untold.add({ input_tokens: 5, output_tokens: 5 }, 5);
  untold.add({ input_tokens: 5, output_tokens: 5 });
  expect(untold.totals()).not.toHaveProperty('everything');
  expect(untold.totals().cost).toBeCloseTo(0.00011, 10);
  expect(createLedger({ window: 1_000, prices: PRICES }).totals()).toMatchObject({ calls: 0, cost: 0, cacheShare: 0 });
});

test('cache writes cost as much as input if they have no price of their own; nothing is guessed', () => {
  expect(cachePrices({ prices: PRICES })).toEqual({ write: 2, read: 0.1 });
  expect(cachePrices({ prices: { input: 2, cache_read: 0.5 } })).toEqual({ write: 2, read: 0.5 });
  expect(cachePrices({ prices: { input: 2 } })).toBeUndefined();
  expect(cachePrices({})).toBeUndefined();
});

test('sending everything has no cache if the calls have none', () => {
  const ledger = createLedger({ window: 100_000, prices: PRICES });
  ledger.add({ input_tokens: 10_000, output_tokens: 100 }, 10_000, true);
  ledger.add({ input_tokens: 6_000, output_tokens: 200 }, 13_000);
  // 10000×1 + 100×10, then 13000×1 + 200×10
  expect(ledger.totals().everything?.cost).toBeCloseTo(0.011 + 0.015, 10);
});
