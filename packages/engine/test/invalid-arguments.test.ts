import { expect, test } from 'vitest';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  isHoldfastError,
  memoryArchive,
  type WindowParts,
} from '../src/index.ts';

const plain = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i}` }));
const cyclic: Record<string, unknown> = { role: 'user' };
cyclic.content = [cyclic];
const NONSENSE: readonly unknown[] = [
  ...[null, undefined, 0, Number.NaN, 5n, '', 'text', true, {}, { length: 3 }, () => 1, Symbol('x'), new Map()],
  ...[[null], [5], ['x'], [[]], [{}], [{ role: 5 }], [{ role: 'user', content: { n: 1n } }], [cyclic]],
  ...[[{ role: 'user', content: [null] }], [{ role: 'assistant', tool_calls: [null] }], [{ role: 'tool' }]],
];
const said = plain(2);
const open = (config = {}, parts = {}) => new ConversationWindow<never>(config, { logger: { warn() {} }, ...parts });
const METHODS: Readonly<Record<string, (odd: never) => unknown>> = {
  trim: (odd) => open({ max_messages: 1 }).trim(odd),
  'trim among others': (odd) => open({ max_messages: 1 }).trim([...said, odd, ...said] as never),
  pruneHistory: (odd) => open({ max_messages: 1 }).pruneHistory(odd),
  'limit of pruneHistory': (odd) => open().pruneHistory(said as never, odd),
  estimateTokens: (odd) => open().estimateTokens(odd),
  fit: (odd) => open().fit(odd),
  'options of fit': (odd) => open().fit(said as never, odd),
  'offset of fit': (odd) => open().fit(said as never, { offset: odd }),
  compact: (odd) => open().compact(odd),
  'options of compact': (odd) => open().compact(said as never, odd),
  pin: (odd) => open().pin(odd),
  unpin: (odd) => open().unpin(odd),
  observe: (odd) => open().observe(odd),
  recall: (odd) => open().recall(odd),
  summarize: (odd) => open().summarize(odd, { call: async () => 'summary' }),
  'summarizer of summarize': (odd) => open().summarize(said as never, odd),
  'the configuration': (odd) => new ConversationWindow(odd as ConversationHistoryConfig),
  parts: (odd) => new ConversationWindow({}, odd as WindowParts<unknown>),
  dialect: (odd) => open({}, { dialect: odd }).trim(said as never),
  prices: (odd) => open({}, { prices: odd }),
  strategy: (odd) => open({ strategy: odd }),
  max_conversation_messages: (odd) => open({ max_conversation_messages: odd }),
};

test.each(Object.entries(METHODS))('nonsense for %s is taken or refused with a HoldfastError', async (_, run) => {
  for (const odd of NONSENSE) {
    const error: unknown = await (async () => run(odd as never))().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error === undefined || isHoldfastError(error), String(error)).toBe(true);
  }
});

test.each([null, undefined, 'text', { length: 1 }])('trim(%j) says what it takes', (odd) => {
  const refused = expect.objectContaining({ code: 'INVALID_HISTORY', details: expect.objectContaining({ index: 0 }) });
  expect(() => open().trim(odd as never)).toThrow(refused);
});

test('max_conversation_messages is max_messages, which wins where both are given, with one warning', async () => {
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
  expect(warnings).toEqual(['max_messages wins over max_conversation_messages: remove one of them']);
  expect(() => open({ max_conversation_messages: -1 })).toThrow(/max_conversation_messages is -1: give a whole number/);
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

test('that head and tail fill max_messages is said once by each window', async () => {
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
