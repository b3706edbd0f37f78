import { modelInfo } from '@holdfast/models';
import { expect, test } from 'vitest';
import { createSpending } from './spending.ts';

const prices = { input: 10, output: 50, cache_read: 1, cache_write: 12.5 };
const overrides = { big: { window: 1_000_000, prices }, small: { window: 1_000_000, prices: { input: 1, output: 5 } } };
const info = modelInfo('big', overrides);

test('cost is what was billed, including summaries, next to what sending everything would have cost', () => {
  const spending = createSpending(info, overrides);
  const first = {
    input_tokens: 0,
    cache_creation_input_tokens: 100_000,
    cache_read_input_tokens: 0,
    output_tokens: 1_000,
  };
  const second = {
    input_tokens: 0,
    cache_creation_input_tokens: 10_000,
    cache_read_input_tokens: 20_000,
    output_tokens: 0,
  };
  expect(spending.answer(first, 100_000)?.cost).toBeCloseTo(1.25 + 0.05);
  // 120,000 tokens with everything in it: the first 100,000 would have been read, the others written.
  expect(spending.answer(second, 120_000)?.cost).toBeCloseTo(0.125 + 0.02);
  spending.summary({ input_tokens: 100_000, output_tokens: 10_000 }, 'small');
  const { cost, tokenUsage, cacheShare } = spending.totals();
  expect(cost?.spent).toBeCloseTo(1.3 + 0.145 + 0.15);
  expect(cost?.everything).toBeCloseTo(1.3 + 0.1 + 0.25);
  expect(tokenUsage).toEqual({
    inputTokens: 100_000,
    outputTokens: 11_000,
    cacheReadTokens: 20_000,
    cacheWriteTokens: 110_000,
  });
  expect(cacheShare).toBeCloseTo(20_000 / 130_000);
});

test('without a price the cost is unknown, not wrong', () => {
  const spending = createSpending(modelInfo('nobody-knows-it'));
  spending.answer({ prompt_tokens: 1_000, completion_tokens: 10 }, 1_000);
  expect(spending.totals().cost).toBeUndefined();
  expect(spending.totals().tokenUsage?.inputTokens).toBe(1_000);
});

test('as long as nothing is folded, sending everything costs what was spent', () => {
  const spending = createSpending(info, overrides);
  // The server reads less from its cache than it could, and one tail is not written to it.
  const usage = {
    input_tokens: 700,
    cache_creation_input_tokens: 9_000,
    cache_read_input_tokens: 0,
    output_tokens: 30,
  };
  for (const written of [9_000, 18_300])
    spending.answer({ ...usage, cache_creation_input_tokens: written }, written + 700, true);
  const { cost } = spending.totals();
  expect(cost?.everything).toBe(cost?.spent);
  spending.answer({ ...usage, cache_creation_input_tokens: 0 }, 21_000, false);
  // 19,000 of 21,000 tokens would have been read.
  expect(spending.totals().cost?.everything).toBeCloseTo((cost?.spent ?? 0) + 0.019 + 0.025 + 0.0015);
});
