import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { agent, failure } from '../../test/read-turns.ts';
import { ConversationWindow, type Strategy } from '../index.ts';

describe('a custom strategy', () => {
  const history = agent('anthropic', 12, 3);
  const everything: Strategy = {
    name: 'everything',
    due: ({ messages }) => messages > 10,
    judge: (turns) => ({ verdicts: turns.map(() => 'drop'), note: 'none' }),
  };

  test('decides when to fold and what to drop, but cannot drop what must stay', async () => {
    const window = new ConversationWindow<Wire>({ strategy: everything }, { dialect: 'anthropic' });
    expect((await window.fit(history.slice(0, 9))).receipt).toBeUndefined();
    const { messages, receipt } = await window.fit(history);
    expect(messages).toEqual([history[0], ...history.slice(-2)]);
    expect(receipt).toMatchObject({ strategy: 'everything', noteTokens: 0 });
    expect(receipt?.note).toBeUndefined();
  });

  test('in a list, the severest verdict wins', async () => {
    const nothing: Strategy = {
      name: 'nothing',
      due: () => false,
      judge: (turns) => ({ verdicts: turns.map(() => 'keep'), note: 'marker' }),
    };
    const window = new ConversationWindow<Wire>({ strategy: [nothing, everything] }, { dialect: 'anthropic' });
    const { messages, receipt } = await window.fit(history);
    expect(receipt).toMatchObject({ strategy: 'nothing+everything' });
    expect(messages).toHaveLength(4); // first, marker, newest turn
  });

  test.each([0, 1, 40])('that gives %i verdicts is an error, not a guess', async (count) => {
    const wrong: Strategy = {
      ...everything,
      judge: () => ({ verdicts: Array.from({ length: count }, () => 'drop' as const), note: 'none' }),
    };
    const window = new ConversationWindow<Wire>({ strategy: wrong }, { dialect: 'anthropic' });
    const error = await failure(window.fit(history));
    expect(error.message).toMatch(/verdict/);
  });

  test('is overruled if it keeps more than the budget allows', async () => {
    const lazy: Strategy = {
      name: 'lazy',
      due: () => false,
      judge: (turns) => ({ verdicts: turns.map(() => 'keep'), note: 'marker' }),
    };
    const window = new ConversationWindow<Wire>(
      { strategy: lazy, max_tokens: 2_000, max_messages: 10 },
      { dialect: 'anthropic' },
    );
    for (let n = 1; n <= history.length; n += 2) {
      const { messages, metrics } = await window.fit(history.slice(0, n));
      expect(metrics.estimatedTokens).toBeLessThanOrEqual(2_000);
      expect(messages.length).toBeLessThanOrEqual(10);
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
  });

  test('sees sizes and facts, but no messages', async () => {
    const seen: string[][] = [];
    const curious: Strategy = {
      ...everything,
      judge(turns, budget) {
        seen.push(Object.keys(turns[0] ?? {}));
        return everything.judge(turns, budget);
      },
    };
    await new ConversationWindow<Wire>({ strategy: curious }, { dialect: 'anthropic' }).fit(history);
    expect(seen[0]?.sort()).toEqual([
      'focus',
      'from',
      'kept',
      'latest',
      'messages',
      'recent',
      'role',
      'tokens',
      'words',
    ]);
  });
});

test('warns once per conversation about keys that the strategy does not read', () => {
  const warnings: string[] = [];
  const logger = { warn: (message: string) => warnings.push(message) };
  const config = { max_history_messages: 10, tier_thresholds: [1_000, 2_000] as const };
  const window = new ConversationWindow({ ...config, strategy: 'governed' }, { logger });
  expect(warnings).toEqual(['tier_thresholds does nothing without strategy: two-tier']);
  new ConversationWindow({ ...config, strategy: 'governed' }, { logger, state: window.state() });
  new ConversationWindow({ ...config, strategy: ['two-tier', 'governed'] }, { logger });
  expect(warnings).toHaveLength(1);
  new ConversationWindow({ tool_output_trim_chars: 100 }, { logger });
  expect(warnings.at(-1)).toBe('tool_output_trim_chars does nothing without strategy: governed');
});
