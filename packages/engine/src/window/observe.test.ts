import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { agent, failure, lines, turn, user } from '../../test/read-turns.ts';
import { ConversationWindow, type HoldfastError, isHoldfastError, type WindowEvent } from '../index.ts';

describe('observe()', () => {
  const big = [user('word '.repeat(4_000))];

  test.each([
    [
      'Anthropic: the sum of three fields',
      { input_tokens: 5, cache_creation_input_tokens: 3_000, cache_read_input_tokens: 6_995, output_tokens: 7 },
    ],
    ['Anthropic without a cache', { input_tokens: 10_000, cache_creation_input_tokens: null, output_tokens: 7 }],
    [
      'OpenAI chat',
      {
        prompt_tokens: 10_000,
        completion_tokens: 7,
        total_tokens: 10_007,
        prompt_tokens_details: { cached_tokens: 9_000 },
      },
    ],
    ['OpenAI responses', { input_tokens: 10_000, input_tokens_details: { cached_tokens: 9_000 }, output_tokens: 3 }],
    ['a whole response', { model: 'm', usage: { prompt_tokens: 10_000 } }],
  ])('understands %s', async (_, usage) => {
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    expect((await window.fit(big)).metrics.estimated).toBe(true);
    window.observe(usage);
    const { metrics } = await window.fit(big);
    expect(metrics.estimated).toBe(false);
    expect(Math.abs(metrics.estimatedTokens - 10_000)).toBeLessThanOrEqual(1);
  });

  test('never changes the current view', async () => {
    const history = agent('anthropic', 20);
    const window = new ConversationWindow<Wire>({ max_tokens: 200_000 }, { dialect: 'anthropic' });
    const { messages } = await window.fit(history);
    window.observe({ input_tokens: 50_000 });
    const again = await window.fit(history);
    expect(again.messages).toEqual(messages);
    expect(again.receipt).toBeUndefined();
  });

  test('makes the next fold due if prompts are larger than estimated', async () => {
    const history = agent('anthropic', 20);
    const window = new ConversationWindow<Wire>(
      { max_tokens: 30_000, max_messages: 0, prefer: 'memory' },
      { dialect: 'anthropic' },
    );
    expect((await window.fit(history)).receipt).toBeUndefined();
    window.observe({ input_tokens: 29_900 });
    const { receipt, metrics } = await window.fit([...history, ...turn('anthropic', 99, lines(20, 99))]);
    expect(receipt?.estimated).toBe(false);
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(30_000);
  });

  test('learns from prompts larger than the budget: dense text, with tools outside the messages', async () => {
    const config = { max_tokens: 20_000, max_messages: 0, strategy: 'sliding' } as const;
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
    const prompts: { real: number; gauge: number }[] = [];
    const history = agent('anthropic', 15, 80);
    for (let i = 0; i < 12; i++) {
      const { messages, metrics } = await window.fit(history);
      const real = 3_000 + Math.ceil(JSON.stringify(messages).length * 0.95);
      prompts.push({ real, gauge: metrics.estimatedTokens });
      window.observe({ prompt_tokens: real });
      history.push(...turn('anthropic', 100 + i, lines(20, i)));
    }
    expect(prompts[0]?.real).toBeGreaterThan(2 * config.max_tokens);
    for (const { real, gauge } of prompts.slice(2)) {
      expect(real).toBeLessThanOrEqual(config.max_tokens);
      expect(Math.abs(gauge - real) / real).toBeLessThan(0.15);
    }
  });

  test('says how much is outside the messages if that alone exceeds the budget', async () => {
    const warn = vi.fn();
    const config = { max_tokens: 8_000 };
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn } });
    await window.fit([user('go')]);
    window.observe({ input_tokens: 50_000 });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('count once another report agrees'));
    await window.fit([user('go')]);
    window.observe({ input_tokens: 50_000 });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('raise it'));
    const error = await failure(window.fit([user('go')]));
    expect(error.code).toBe('OVER_BUDGET');
    expect(error.message).toMatch(/reserve 49\d{3}/);
  });

  test.each([500_000, 90_000, 99_999_999, 1, 12, 0, -5, Number.NaN])(
    'one report of %d tokens, whenever it comes, stops no later fit and is soon forgotten',
    async (absurd) => {
      const property = fc.asyncProperty(
        fc.integer({ min: 20_000, max: 120_000 }),
        fc.integer({ min: 0, max: 9_000 }),
        fc.nat(5),
        async (max_tokens, fixed, when) => {
          const parts = { dialect: 'anthropic' as const, logger: { warn() {} } };
          const window = new ConversationWindow<Wire>({ max_tokens, max_messages: 0 }, parts);
          const history = agent('anthropic', 6, 40);
          for (let i = 0; i < 12; i++) {
            const { messages, metrics } = await window.fit(history);
            const real = fixed + Math.ceil(JSON.stringify(messages).length * 0.3);
            if (i > when + 1) expect(Math.abs(metrics.estimatedTokens - real) / real).toBeLessThan(0.2);
            window.observe({ input_tokens: i === when ? absurd : real });
            history.push(...turn('anthropic', 100 + i, lines(40, i)));
          }
        },
      );
      await fc.assert(property, { numRuns: 12, seed: 6 });
    },
  );

  test('learns 1,000 to 54,000 tokens outside the messages from the second report at the latest', async () => {
    for (const fixed of [1_000, 5_000, 16_000, 30_000, 54_000])
      for (const max_tokens of [70_000, 100_000, 200_000, 0]) {
        const parts = { dialect: 'anthropic' as const, logger: { warn() {} } };
        const window = new ConversationWindow<Wire>({ max_tokens, max_messages: 0 }, parts);
        const history = agent('anthropic', 4, 40);
        for (let i = 0; i < 5; i++) {
          const { messages, metrics } = await window.fit(history);
          const real = fixed + Math.ceil(JSON.stringify(messages).length * 0.3);
          if (i > 1) expect(Math.abs(metrics.estimatedTokens - real) / real).toBeLessThan(0.1);
          window.observe({ input_tokens: real });
          history.push(...turn('anthropic', 100 + i, lines(20, i)));
        }
      }
  });

  test('forgets what it learned when the model changes, and reports it', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic', onEvent: (event) => events.push(event) });
    await window.fit(big);
    window.observe({ model: 'old', usage: { input_tokens: 4_000 } });
    window.observe({ model: 'old', usage: { input_tokens: 4_100 } });
    expect(events).toEqual([]);
    window.observe({ model: 'new', usage: { input_tokens: 9_000 } });
    expect(events).toEqual([{ type: 'calibration-reset', model: 'new' }]);
    expect(window.state().calibration.model).toBe('new');
    expect(Math.abs((await window.fit(big)).metrics.estimatedTokens - 9_000)).toBeLessThanOrEqual(1);
  });

  test('warns about an object without prompt tokens', async () => {
    const warn = vi.fn();
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic', logger: { warn } });
    await window.fit(big);
    for (const usage of [undefined, null, 7, {}, { completion_tokens: 3 }, { input_tokens: Number.NaN }])
      window.observe(usage);
    expect(warn).toHaveBeenCalledTimes(6);
    expect((await window.fit(big)).metrics.estimated).toBe(true);
  });
});

/** Reads of about a hundred tokens each. */
function reads(count: number): object[] {
  const history: object[] = [{ role: 'user', content: 'Read everything.' }];
  for (let i = 0; i < count; i++) {
    const call = {
      id: `c${i}`,
      type: 'function',
      function: { name: 'read', arguments: `{"path":"src/part_${i}.ts"}` },
    };
    history.push({ role: 'assistant', content: null, tool_calls: [call] });
    history.push({ role: 'tool', tool_call_id: `c${i}`, content: `export const value_${i} = ${i};\n`.repeat(12) });
  }
  return history;
}

test.each([1 / 4, 1, 2, 10])(
  'no view is over budget by a caller’s own counter of %d tokens a character',
  async (rate) => {
    const tokens = (text: string) => Math.ceil(text.length * rate);
    for (const max_tokens of [800, 1_337, 5_000, 20_000]) {
      const window = new ConversationWindow<object>({ max_messages: 0, max_tokens }, { tokens });
      const history = reads(60);
      for (let end = 1; end <= history.length; end += 2) {
        const fitted = await window.fit(history.slice(0, end)).catch((error: unknown) => error as HoldfastError);
        if (isHoldfastError(fitted)) {
          expect(fitted.code).toBe('OVER_BUDGET');
          break;
        }
        const { messages, metrics } = fitted as Awaited<ReturnType<typeof window.fit>>;
        expect(metrics.estimatedTokens).toBeLessThanOrEqual(max_tokens);
        const texts = messages.map((message) => {
          const { content, tool_calls: calls } = message as {
            content: string | null;
            tool_calls?: { function: object }[];
          };
          return `${content ?? ''}${(calls ?? []).map((call) => Object.values(call.function).join('')).join('')}`;
        });
        expect(texts.reduce((sum, text) => sum + tokens(text), 0)).toBeLessThanOrEqual(max_tokens);
      }
    }
  },
);
