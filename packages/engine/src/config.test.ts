import { describe, expect, test } from 'vitest';
import type { Wire } from '../test/histories.ts';
import { agent, assistant, failure, user } from '../test/read-turns.ts';
import { type ConversationHistoryConfig, ConversationWindow, memoryArchive } from './index.ts';

describe('configuration', () => {
  test('limits messages to 100 by default, and tokens not at all', async () => {
    const history = Array.from({ length: 100 }, (_, i) =>
      i % 2 === 0 ? user('x'.repeat(9_000)) : assistant('y'.repeat(9_000)),
    );
    const window = new ConversationWindow<Wire>();
    expect(await window.fit(history)).toMatchObject({
      messages: history,
      metrics: { totalMessages: 100, evictedMessages: 0, folds: 0 },
    });
    const { messages, receipt } = await window.fit([...history, user('one more')]);
    expect(receipt).toMatchObject({ fold: 1, reason: 'messages', strategy: 'fold' });
    expect(messages.length).toBeLessThanOrEqual(100);
  });

  test.each([
    ['max_messages', -1],
    ['max_messages', 1.5],
    ['max_messages', '40'],
    ['max_tokens', Number.NaN],
    ['reserve', -5],
    ['preserve_first_n', -1],
    ['preserve_last_n', 0.5],
    ['limit', null],
    ['target', 0],
    ['target', 1.1],
    ['strategy', 'guess'],
    ['strategy', []],
    ['strategy', {}],
    ['max_mesages', 40],
  ])('%s: %j is refused with the key', async (key, value) => {
    const { code, message, details } = await failure(
      () => new ConversationWindow({ [key]: value } as ConversationHistoryConfig),
    );
    expect(code).toBe('BAD_CONFIG');
    expect(message).toContain(key);
    expect(details).toMatchObject({ key });
  });

  test('refuses a reserve that leaves no room', async () => {
    const { code, details } = await failure(() => new ConversationWindow({ max_tokens: 1_000, reserve: 1_000 }));
    expect([code, details.key]).toEqual(['BAD_CONFIG', 'reserve']);
  });

  test('refuses an unknown dialect', async () => {
    const { code, message } = await failure(() => new ConversationWindow({}, { dialect: 'cohere' as 'anthropic' }));
    expect(code).toBe('BAD_CONFIG');
    expect(message).toContain('cohere');
  });

  test('limit alone bounds the tokens', async () => {
    const window = new ConversationWindow<Wire>({ limit: 4_000 }, { dialect: 'anthropic' });
    const { metrics, receipt } = await window.fit(agent('anthropic', 30));
    expect(receipt?.reason).toBe('tokens');
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(4_000);
  });
});

test('an aborted signal stops a fit before it starts', async () => {
  const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
  await expect(window.fit([user('hi')], { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
  expect(window.state().seen).toBe(0);
});

const plain = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i}` }));

const open = (config = {}, parts = {}) => new ConversationWindow<never>(config, { logger: { warn() {} }, ...parts });

test('max_conversation_messages is an alias of max_messages, which wins with a warning if both are set', async () => {
  const warnings: string[] = [];
  const logger = { warn: (text: string) => warnings.push(text) };
  const history = plain(41);
  const short = new ConversationWindow<object>({ max_conversation_messages: 30, preserve_last_n: 5 }, { logger });
  const full = new ConversationWindow<object>({ max_messages: 30, preserve_last_n: 5 });
  expect(short.trim(history)).toEqual(full.trim(history));
  expect((await short.fit(history)).messages).toEqual((await full.fit(history)).messages);
  expect(new ConversationWindow({ strategy: 'governed', max_conversation_messages: 50 }).trim(history).evicted).toEqual(
    [],
  );
  expect(new ConversationWindow({ max_conversation_messages: 0 }).trim(plain(500)).evicted).toEqual([]);
  expect(warnings).toEqual([]);
  const both = new ConversationWindow<object>({ max_conversation_messages: 5, max_messages: 30 }, { logger });
  expect(both.trim(history).trimmed).toHaveLength(30);
  expect(warnings).toEqual(['max_messages overrides max_conversation_messages: remove one of them']);
  expect(() => open({ max_conversation_messages: -1 })).toThrow(
    /max_conversation_messages is -1: expected a whole number/,
  );
});

test('messages keep their type through trim() and pruneHistory()', () => {
  interface Message {
    role: 'user' | 'assistant';
    content: string;
  }
  const messages: Message[] = [{ role: 'user', content: 'a' }];
  const { trimmed, evicted } = new ConversationWindow({}).trim(messages);
  const typed: Message[] = [...trimmed, ...evicted, ...new ConversationWindow({}).pruneHistory(messages).trimmed];
  expect(typed).toEqual([...messages, ...messages]);
});

test('warns once per window that head and tail fill max_messages', async () => {
  const warnings: string[] = [];
  const logger = { warn: (text: string) => warnings.push(text) };
  const config = { max_messages: 10, preserve_first_n: 4, preserve_last_n: 16 };
  const archive = memoryArchive<object>();
  const window = new ConversationWindow<object>(config, { logger, archive });
  const history = plain(61);
  for (let end = 11; end <= 21; end++) window.trim(history.slice(0, end));
  for (let end = 1; end <= 41; end += 2) await window.fit(history.slice(0, end));
  expect(warnings).toHaveLength(1);
  const restored = new ConversationWindow<object>(config, { logger, archive, state: window.state() });
  for (let end = 43; end <= 61; end += 2) {
    await restored.fit(history.slice(0, end));
    await restored.undo();
  }
  expect(warnings).toHaveLength(1);
});

describe('the default of max_messages', () => {
  const long = Array.from({ length: 200 }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `${i}` }));
  const folds = async (config: ConversationHistoryConfig) =>
    (await new ConversationWindow<object>(config).fit(long.slice(0, -1))).receipt !== undefined;

  test('is 100 only where no budget in tokens is given: who sets max_tokens means tokens', async () => {
    for (const strategy of ['fold', 'sliding'] as const) {
      expect(await folds({ strategy })).toBe(true);
      expect(await folds({ strategy, max_tokens: 100_000 })).toBe(false);
      expect(await folds({ strategy, max_tokens: 100_000, max_messages: 100 })).toBe(true);
      expect(await folds({ strategy, max_tokens: 0 })).toBe(true);
    }
    expect(await folds({ strategy: 'rolling', max_tokens: 100_000 })).toBe(true);
  });

  test('stays 100 in trim(), which knows no tokens', () => {
    for (const config of [{}, { max_tokens: 100_000 }])
      expect(new ConversationWindow<object>(config, { logger: { warn() {} } }).trim(long).trimmed).toHaveLength(100);
    expect(new ConversationWindow<object>({ max_tokens: 100_000 }).pruneHistory(long).trimmed).toHaveLength(100);
  });

  test('a key in camelCase is refused with its right spelling', () => {
    for (const [given, right] of Object.entries({
      maxTokens: 'max_tokens',
      preserveLastN: 'preserve_last_n',
      MaxMessages: 'max_messages',
    }))
      expect(() => new ConversationWindow({ [given]: 10 } as ConversationHistoryConfig)).toThrow(
        `${given} is not a configuration key: expected ${right}`,
      );
  });
});
