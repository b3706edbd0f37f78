import { expect, test } from 'vitest';
import { advise, type Candidate } from './advice.ts';
import { type ReplayResult, replay } from './replay.ts';

const nothing = await replay({ messages: [] }, () => ({ view: (history) => history }));
const result = (cost: number, had: number, boundedCalls = 5): ReplayResult => ({
  ...nothing,
  calls: 10,
  cost,
  needed: 100,
  had,
  boundedCalls,
});
const many = (count: number, cost: number, had: number): ReplayResult[] =>
  Array.from({ length: count }, () => result(cost, had));
const baseline = many(10, 1000, 100);
const short = (one: ReplayResult): ReplayResult => ({ ...one, boundedCalls: 0 });
const candidate = (policy: string, results: readonly ReplayResult[]): Candidate => ({
  policy,
  budget: 40_000,
  results,
});

test('recommends the cheapest that covers enough, with an interval', () => {
  const cheap = candidate('sliding', many(10, 300, 80));
  const good = candidate('fold', many(10, 400, 97));
  const dear = candidate('two-tier', many(10, 600, 99));
  const advice = advise([cheap, dear, good], baseline, { minKept: 95 });
  expect(advice).toMatchObject({ type: 'choice', policy: 'fold', budget: 40_000, confidence: 1 });
  // Ten conversations that are all alike: whatever is drawn, the shares are the same.
  expect(advice).toMatchObject({ cost: { low: 0.4, high: 0.4 }, kept: { low: 97, high: 97 } });
  expect(advise([cheap, good], baseline, { minKept: 70 })).toMatchObject({ policy: 'sliding' });
});

test('lines for edits count as much as names', () => {
  const withLines = (budget: number, cost: number, had: number, spansHad: number) => ({
    ...candidate(
      'fold',
      many(10, cost, had).map((one) => ({ ...one, spans: 100, spansHad })),
    ),
    budget,
  });
  const small = withLines(20_000, 400, 97, 84);
  const large = withLines(40_000, 480, 96, 99);
  const advice = advise([small, large], baseline, { minKept: 95 });
  expect(advice).toMatchObject({ type: 'choice', budget: 40_000, kept: { low: 97.5, high: 97.5 } });
  expect(advise([small, large], baseline, { minKept: 90 })).toMatchObject({ budget: 20_000 });
});

test('the interval shows how much conversations differ, and the same seed draws the same samples', () => {
  const mixed = candidate('fold', [...many(5, 300, 99), ...many(5, 500, 96)]);
  const advice = advise([mixed], baseline, { minKept: 95 });
  expect(advice).toEqual(advise([mixed], baseline, { minKept: 95 }));
  if (advice.type !== 'choice') throw new Error(advice.why);
  expect(advice.cost.low).toBeLessThan(0.4);
  expect(advice.cost.high).toBeGreaterThan(0.4);
  expect(advice.cost.low).toBeGreaterThanOrEqual(0.3);
  expect(advice.cost.high).toBeLessThanOrEqual(0.5);
});

test('not enough data: few conversations reach a budget, or samples disagree', () => {
  const short = [...many(3, 400, 97), ...Array.from({ length: 7 }, () => result(1000, 0, 0))];
  expect(advise([candidate('fold', short)], baseline, { minKept: 95 })).toMatchObject({
    type: 'not-enough-data',
    why: '3 of 10 conversations are longer than a budget, and 8 are needed',
  });
  const uneven = candidate('fold', [...many(9, 400, 100), result(400, 52)]);
  expect(advise([uneven], baseline, { minKept: 95 })).toMatchObject({
    type: 'not-enough-data',
    why: expect.stringContaining('fold at 40000: enough in only'),
  });
});

test('no advice if nothing covers enough, and never a policy that is invalid or over budget', () => {
  expect(advise([candidate('fold', many(10, 400, 90))], baseline, { minKept: 95 })).toMatchObject({ type: 'none' });
  const broken = candidate(
    'fold',
    many(10, 400, 99).map((one) => ({ ...one, invalid: 1 })),
  );
  expect(advise([broken], baseline, { minKept: 95 })).toMatchObject({ type: 'none' });
  const large = candidate(
    'fold',
    many(10, 400, 99).map((one) => ({ ...one, overBudget: 2 })),
  );
  expect(advise([large], baseline, { minKept: 95 })).toMatchObject({ type: 'none' });
});

test('a cheaper candidate in doubt is passed over, with the reason', () => {
  const few = { ...candidate('fold', [...many(7, 200, 99), ...many(3, 200, 99).map(short)]), budget: 80_000 };
  const digest = { ...candidate('two-tier', many(10, 300, 99)), doubt: 'its summaries are not measured' };
  const good = candidate('fold', many(10, 400, 97));
  expect(advise([good, digest, few], baseline, { minKept: 95 })).toMatchObject({
    type: 'choice',
    policy: 'fold',
    budget: 40_000,
    passedOver: [
      { policy: 'fold', budget: 80_000, cost: 0.2, why: 'only 7 conversations are that long' },
      { policy: 'two-tier', budget: 40_000, cost: 0.3, why: 'its summaries are not measured' },
    ],
  });
  expect(advise([digest], baseline, { minKept: 95 })).toEqual({
    type: 'not-enough-data',
    why: 'two-tier at 40000: its summaries are not measured',
  });
});
