import { ConversationWindow } from 'holdfast';
import { expect, test } from 'vitest';
import { modelInfo } from '../models/model-info.ts';
import { foldsAbove, plannedBudget } from './window-config.ts';

const said = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: `message ${at}` }));

test.each([
  ['fold', {}],
  ['governed', {}],
  ['governed', { max_history_messages: 12 }],
  ['rolling', {}],
  ['rolling', { max_messages: 7 }],
] as const)('a fold comes where it is said to be due: %s %o', async (strategy, more) => {
  const config = { strategy, ...more, limit: 1_000_000 };
  const { messages } = foldsAbove(config);
  const window = new ConversationWindow(config, { logger: { warn() {} } });
  expect((await window.fit(said(messages))).metrics.folds).toBe(0);
  expect((await window.fit(said(messages + 1))).metrics.folds).toBe(1);
});

test('without a limit of messages there is none; tokens are never more than the model leaves', () => {
  expect(foldsAbove({ strategy: 'two-tier', limit: 10 })).toEqual({ messages: Number.POSITIVE_INFINITY, tokens: 10 });
  const model = modelInfo('claude-sonnet-5');
  expect(plannedBudget({}, model, undefined).tokens).toBe(model.window - 32_000);
  expect(plannedBudget({ max_tokens: 5e9 }, model, 1_000).tokens).toBe(model.window - 1_000);
});
