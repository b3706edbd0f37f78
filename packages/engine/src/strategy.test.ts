import { describe, expect, test } from 'vitest';
import type { Wire } from '../test/histories.ts';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Strategy,
  type Verdict,
  type WindowParts,
} from './index.ts';

const user = (content: unknown): Wire => ({ role: 'user', content });

const call = (id: string, input: unknown, content: unknown): Wire[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input }] },
  user([{ type: 'tool_result', tool_use_id: id, content }]),
];

const long = (turns: number, result = 'line of text\n'): Wire[] => [
  user('Mend it.'),
  ...Array.from({ length: turns }, (_, i) => call(`c${i}`, { n: i }, `${i} ${result.repeat(20)}`)).flat(),
];

const windowOf = (config: ConversationHistoryConfig = {}, parts: WindowParts<Wire> = {}) =>
  new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn: () => {} }, ...parts });

describe('a strategy gets copies, and its answers are checked', () => {
  const keepAll = (turns: readonly unknown[]) => ({
    verdicts: turns.map((): Verdict => 'keep'),
    note: 'none' as const,
  });
  type Loose = { max: { messages: number; tokens: number }; target: { messages: number; tokens: number } };

  test('it cannot change the budget or the turns', async () => {
    const spoil = (budget: unknown) => {
      const { max, target } = budget as Loose;
      max.messages = max.tokens = target.messages = target.tokens = 1e9;
    };
    const strategy: Strategy = {
      due(size, budget) {
        spoil(budget);
        (size as { messages: number }).messages = 0;
        return false;
      },
      judge(turns, budget) {
        spoil(budget);
        const answer = keepAll(turns);
        (turns as unknown[]).length = 0;
        return answer;
      },
    };
    const window = windowOf({ max_messages: 10, strategy });
    for (const turns of [3, 20]) {
      const { messages, metrics } = await window.fit(long(turns));
      expect(messages.length).toBeLessThanOrEqual(10);
      expect(metrics.max.messages).toBe(10);
    }
  });

  test.each([
    [
      'verdicts that are missing',
      (turns: readonly unknown[]) => ({ ...keepAll(turns), verdicts: new Array(turns.length) }),
    ],
    ['too few verdicts', (turns: readonly unknown[]) => ({ ...keepAll(turns), verdicts: [] })],
    ['an invalid note', (turns: readonly unknown[]) => ({ ...keepAll(turns), note: 'toString' })],
    ['nothing', () => undefined],
  ])('refuses judge() that returns %s', async (_, judge) => {
    const strategy = { name: 'mine', due: () => true, judge } as unknown as Strategy;
    await expect(windowOf({ strategy }).fit(long(3))).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: expect.stringContaining('strategy mine: judge()'),
    });
  });

  test('refuses due() that returns a promise', async () => {
    const strategy = { due: async () => false, judge: keepAll } as unknown as Strategy;
    await expect(windowOf({ strategy }).fit(long(3))).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: expect.stringContaining('due()'),
    });
  });
});
