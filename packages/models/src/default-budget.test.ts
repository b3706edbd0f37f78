import { expect, test } from 'vitest';
import { boundedConfig, budgetProblem, defaultBudget } from './default-budget.ts';
import { modelInfo } from './model-info.ts';
import { MODELS } from './table.ts';

const opus = modelInfo('claude-opus-5-5');
const local = modelInfo('local-coder', { 'local-coder': { window: 32_768, max_output: 4_096 } });

test('every model in the table has a default budget within its window, and says why', () => {
  for (const id of Object.keys(MODELS)) {
    const { tokens, why } = defaultBudget(modelInfo(id));
    expect(tokens).toBeGreaterThanOrEqual(20_000);
    expect(tokens).toBeLessThan(modelInfo(id).window);
    expect(why).toBe(`the default at the prices of ${id}`);
  }
});

test('a small window leaves room for the answer', () => {
  expect(defaultBudget(local)).toEqual({
    tokens: 32_768 - 4_096,
    why: 'the window of local-coder, 32768 tokens, minus 4096 for the answer',
  });
  expect(defaultBudget(local, { answer: 1_000 }).tokens).toBe(31_768);
});

test('an unknown model has the default budget, and is said to be unknown', () => {
  const unknown = modelInfo('somebody-elses');
  expect(defaultBudget(unknown)).toEqual({
    tokens: defaultBudget(opus).tokens,
    why: 'the default: somebody-elses is not in the model table',
  });
});

test('a large system prompt with many tools raises the default, as far as the window allows', () => {
  expect(defaultBudget(opus, { reserve: 40_000 })).toEqual({
    tokens: 100_000,
    why: '2.5 times the 40000 tokens of system prompt and tools',
  });
  expect(defaultBudget(local, { reserve: 40_000 }).tokens).toBe(32_768 - 4_096);
});

test('the default budget in tokens takes the place of a default number of messages, not of a configured one', () => {
  const { tokens } = defaultBudget(opus);
  expect(boundedConfig({}, opus)).toEqual({ limit: 968_000, max_tokens: tokens });
  expect(boundedConfig({ max_messages: 30 }, opus)).toMatchObject({ max_tokens: tokens, max_messages: 30 });
  expect(boundedConfig({ max_conversation_messages: 30 }, opus)).toMatchObject({
    max_tokens: tokens,
    max_conversation_messages: 30,
  });
  expect(boundedConfig({ max_tokens: 70_000 }, opus)).toMatchObject({ max_tokens: 70_000 });
});

test('max_tokens: 0 and strategies with bounds of their own have no default budget', () => {
  expect(boundedConfig({ max_tokens: 0 }, opus)).toEqual({ limit: 968_000, max_tokens: 0 });
  for (const strategy of ['sliding', 'governed', 'two-tier', 'rolling'] as const)
    expect(boundedConfig({ strategy }, opus)).toEqual({ limit: 968_000, strategy });
  expect(boundedConfig({ strategy: ['fold', 'sliding'] }, opus)).not.toHaveProperty('max_tokens');
});

test('a budget too small for any conversation is a problem that names the smallest useful one', () => {
  expect(budgetProblem(100)).toContain('expected at least 2000 tokens');
  expect(budgetProblem(2_000.5)).toContain('expected at least 2000 tokens');
  expect(budgetProblem(2_000)).toBeUndefined();
});
