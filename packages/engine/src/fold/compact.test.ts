import { describe, expect, test } from 'vitest';
import { agentHistory, text } from '../../test/agent-histories.ts';
import type { Wire } from '../../test/histories.ts';
import { agent, user } from '../../test/read-turns.ts';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Receipt,
  type WindowEvent,
  type WindowParts,
} from '../index.ts';

const STRATEGIES = ['fold', 'sliding', 'governed', 'two-tier', 'rolling'] as const;

const talk = (messages: number, chars: number): Wire[] =>
  Array.from({ length: messages }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: text(chars, i) }));

const work = (messages: number, chars: number): Wire[] =>
  agentHistory('openai-chat', messages / 2 - 1, (i) => ({ result: text(chars, i) }));

const open = (config: ConversationHistoryConfig = {}, parts: WindowParts<Wire> = {}) =>
  new ConversationWindow<Wire>({ max_messages: 100, ...config }, { dialect: 'openai-chat', ...parts });

function expectWellBelow({ fold, before, after, why }: Receipt): void {
  expect(fold).toBeGreaterThan(0);
  expect(after.messages).toBeLessThanOrEqual(0.6 * before.messages);
  expect(after.tokens).toBeLessThanOrEqual(0.7 * before.tokens);
  expect(why).toBeUndefined();
}

test('the note of a short conversation still says what the user decided', async () => {
  const window = open();
  const history = talk(14, 150).with(4, { role: 'user', content: 'We decide that the port is 8081, never 8080.' });
  const { note, after, before } = await window.compact(history);
  expect(note).toContain('m4: "We decide that the port is 8081, never 8080."');
  expect(after.tokens).toBeLessThan(0.7 * before.tokens);
});

describe.each(STRATEGIES)('compact() with %s', (strategy) => {
  test.each([
    ['short talk', talk, 20],
    ['long talk', talk, 900],
    ['short work', work, 20],
    ['long work', work, 900],
  ] as const)('goes well below the present size, at any size: %s', async (_, make, chars) => {
    for (const messages of [12, 30, 48, 50, 90, 130]) {
      const history = make(messages, chars);
      const window = open({ strategy });
      const receipt = await window.compact(history);
      expectWellBelow(receipt);
      const { messages: view, metrics } = await window.fit(history);
      expect([view.length, metrics.estimatedTokens]).toEqual([receipt.after.messages, receipt.after.tokens]);
      const again = await window.compact(history);
      expect(again).toMatchObject({ fold: 0, why: 'nothing has been said since the last fold', after: receipt.after });
      const later = [...history, ...talk(12, chars)];
      const next = await window.compact(later);
      expect(next.after.tokens).toBeLessThan(next.before.tokens);
    }
  });

  test('asks the model for a summary, even of few messages; a preview asks no model', async () => {
    for (const messages of [8, 50]) {
      const asked: string[] = [];
      const summarizer = { call: async (prompt: string) => `Summary ${asked.push(prompt)}: all is well.` };
      const window = open({ strategy, summarize_on_trim: true }, { summarizer });
      const history = talk(messages, 400);
      expect((await window.compact(history, { preview: true })).summary).toBeUndefined();
      expect(asked).toHaveLength(0);
      const receipt = await window.compact(history);
      expect(asked).toHaveLength(1);
      expect(receipt.summary).toBe('Summary 1: all is well.');
      expect(receipt.note).toMatch(/^\[Conversation Summary\]\n> Summary 1: all is well\./);
      expect(receipt.after.tokens).toBeLessThan(0.75 * receipt.before.tokens);
    }
  });

  test('does not touch pins and the newest turn, and says why it cannot go lower', async () => {
    const history = [...talk(8, 200), ...work(4, 6_000)];
    const window = open({ strategy });
    const pins = [2, 3, 4, 5];
    for (const pin of pins) window.pin(pin);
    const { why, after, before } = await window.compact(history);
    const { messages } = await window.fit(history);
    for (const at of [...pins, history.length - 1]) expect(messages).toContain(history[at]);
    expect(why).toMatch(/^\d+ of \d+ tokens must stay \(.*pin \d+.*newest turn \d+\)/);
    expect(after.tokens).toBeLessThanOrEqual(before.tokens);
  });
});

test('names a large reserve as something that cannot be folded away', async () => {
  const { why, after, before } = await open({ reserve: 10_000 }).compact(talk(40, 60));
  expect(why).toMatch(/^\d+ of \d+ tokens must stay \(system prompt and tools 10000, first user message/);
  expect(after.tokens - 10_000).toBeLessThan(0.6 * (before.tokens - 10_000));
});

test('folds nothing, and says why, if the note would be as long as what it replaces', async () => {
  const window = open();
  const history = talk(4, 5);
  const receipt = await window.compact(history);
  expect(receipt).toMatchObject({
    fold: 0,
    why: expect.stringMatching(/a note on the rest would be about as long/),
  });
  expect((await window.fit(history)).messages).toEqual(history);
});

test('goes lower even if a strategy keeps everything, the newest turns last', async () => {
  const keepAll = {
    due: () => false,
    judge: (turns: readonly unknown[]) => ({ verdicts: turns.map(() => 'keep' as const), note: 'marker' as const }),
  };
  const window = open({ strategy: keepAll });
  const history = talk(60, 300);
  expectWellBelow(await window.compact(history));
  expect((await window.fit(history)).messages.slice(-8)).toEqual(history.slice(-8));
});

describe('compact()', () => {
  const history = agent('anthropic', 40);
  const config = { max_tokens: 200_000, target: 0.05, max_messages: 0 };

  test('folds down to the target now', async () => {
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
    const receipt = await window.compact(history);
    expect(receipt).toMatchObject({ fold: 1, reason: 'compact' });
    expect(receipt.after.tokens).toBeLessThan(receipt.before.tokens / 2);
    expect((await window.fit(history)).metrics.estimatedTokens).toBe(receipt.after.tokens);
  });

  test('with preview says what it would do and does nothing', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>(config, {
      dialect: 'anthropic',
      onEvent: (event) => events.push(event),
    });
    const preview = await window.compact(history, { preview: true });
    const { messages, metrics } = await window.fit(history);
    expect(messages).toEqual(history);
    expect(metrics.folds).toBe(0);
    expect(events).toEqual([]);
    expect(await window.compact(history)).toEqual(preview);
  });

  test('keeps what the focus names longer', async () => {
    const kept = async (focus?: string) => {
      const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
      const { turns } = await window.compact(history, focus === undefined ? {} : { focus });
      return turns.find(({ from }) => from === 7)?.verdict;
    };
    expect(await kept()).toBe('drop');
    expect(await kept('src/part_3.ts')).not.toBe('drop');
  });

  test('reports no change if there is nothing to fold', async () => {
    const window = new ConversationWindow<Wire>(config, { dialect: 'anthropic' });
    const receipt = await window.compact([user('hi')]);
    expect(receipt).toMatchObject({ fold: 0, masked: 0, dropped: 0 });
    expect(receipt.before).toEqual(receipt.after);
  });
});
