import { defaultBudget, modelInfo } from '@holdfast/models';
import { expect, test } from 'vitest';
import { plannedBudget } from './window-config.ts';

const model = modelInfo('claude-sonnet-5');

test('the planned budget uses each strategy’s own message limit', () => {
  const most = (conversation: object) => plannedBudget(conversation, model, undefined).messages;
  expect(most({ strategy: 'sliding' })).toBe(100);
  expect(most({ max_conversation_messages: 30 })).toBe(30);
  expect(most({ strategy: 'governed', max_history_messages: 12 })).toBe(12);
  expect(most({ strategy: 'two-tier' })).toBe(Number.POSITIVE_INFINITY);
});

test('without a configuration the budget is the default one in tokens, and no number of messages', () => {
  expect(plannedBudget({}, model, undefined)).toEqual({
    tokens: defaultBudget(model).tokens,
    messages: Number.POSITIVE_INFINITY,
  });
});

test('max_tokens never exceeds what the model has room for', () => {
  expect(plannedBudget({ max_tokens: 0 }, model, undefined).tokens).toBe(model.window - 32_000);
  expect(plannedBudget({ max_tokens: 5e9 }, model, 1_000).tokens).toBe(model.window - 1_000);
});
