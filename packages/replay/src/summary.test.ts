import { expect, test } from 'vitest';
import type { ReplayResult } from './replay.ts';
import { summarize } from './summary.ts';

const one: ReplayResult = {
  calls: 10,
  cost: 300,
  peak: 40,
  tokens: 1000,
  cached: 900,
  rewrites: 1,
  invalid: 0,
  refused: 0,
  boundedCalls: 5,
  needed: 40,
  had: 39,
  spans: 0,
  spansHad: 0,
  pointed: 0,
  repeats: 0,
  askedAgain: 0,
  folds: 1,
  reminders: 0,
  ms: 5,
};
const two: ReplayResult = {
  ...one,
  calls: 30,
  cost: 500,
  peak: 60,
  rewrites: 3,
  invalid: 10,
  spans: 8,
  spansHad: 6,
  pointed: 1,
};

test('sums over conversations before it divides', () => {
  const summary = summarize(
    [one, two],
    [
      { ...one, cost: 1000 },
      { ...two, cost: 600 },
    ],
  );
  expect(summary.total).toMatchObject({ calls: 40, cost: 800, peak: 60, tokens: 2000, needed: 80, had: 78 });
  expect(summary).toMatchObject({
    conversations: 2,
    relativeCost: 0.5,
    coverage: 97.5,
    spans: 75,
    pointed: 87.5,
    invalid: 25,
    rewrites: 10,
    cacheHit: 90,
    tokensPerCall: 50,
    msPerCall: 0.25,
    overBudget: undefined,
  });
});

test('counts views over budget if there is one', () => {
  const summary = summarize([
    { ...one, overBudget: 1 },
    { ...two, overBudget: 3 },
  ]);
  expect(summary).toMatchObject({ overBudget: 10, relativeCost: undefined, total: { overBudget: 4 } });
});

test('has no percentages of nothing', () => {
  expect(summarize([])).toMatchObject({
    conversations: 0,
    coverage: undefined,
    invalid: undefined,
    cacheHit: undefined,
  });
});
