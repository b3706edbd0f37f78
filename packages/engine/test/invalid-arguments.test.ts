import { describe, expect, test } from 'vitest';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  detectDialect,
  isHoldfastError,
  type WindowParts,
} from '../src/index.ts';
import type { Format, Wire } from './histories.ts';

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

test.each([null, undefined, 'text', { length: 1 }])('trim(%j) is refused with what was expected', (odd) => {
  const refused = expect.objectContaining({ code: 'INVALID_HISTORY', details: expect.objectContaining({ index: 0 }) });
  expect(() => open().trim(odd as never)).toThrow(refused);
});

const user = (content: unknown): Wire => ({ role: 'user', content });

const call = (id: string, input: unknown, content: unknown): Wire[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input }] },
  user([{ type: 'tool_result', tool_use_id: id, content }]),
];

const windowOf = (config: ConversationHistoryConfig = {}, parts: WindowParts<Wire> = {}) =>
  new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn: () => {} }, ...parts });

describe('messages that no API accepts are refused with index, rule and fix', () => {
  const broken: readonly (readonly [string, Format, Wire[], number, string])[] = [
    ['a role that nobody has', 'anthropic', [user('a'), { role: 'wizard', content: 'b' }], 1, 'bad-role'],
    ['no role', 'anthropic', [user('a'), { content: 'b' }], 1, 'bad-role'],
    ['a result that is an object', 'anthropic', [user('a'), ...call('c', {}, { ok: true })], 2, 'bad-content'],
    ['a result that is null', 'anthropic', [user('a'), ...call('c', {}, null)], 2, 'bad-content'],
    ['a role of no item', 'openai-responses', [user('a'), { role: 'wizard', content: 'b' }], 1, 'bad-message'],
  ];
  test.each(broken)('%s', async (_, dialect, history, index, rule) => {
    await expect(windowOf({}, { dialect }).fit(history)).rejects.toMatchObject({
      code: 'INVALID_HISTORY',
      details: { index, rule, fix: expect.stringMatching(/\w/) },
    });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  let deep: object = {};
  for (let i = 0; i < 20_000; i++) deep = { deep };
  let nested: unknown[] = [];
  for (let i = 0; i < 20_000; i++) nested = [nested];
  test.each([
    ['that holds itself', cyclic],
    ['of thousands of levels', deep],
    ['of lists in lists', { nested }],
    ['with a number that JSON has not', { n: 5n }],
  ])('an input %s', async (_, input) => {
    const history = [user('a'), ...call('c', input, 'b')];
    for (const repair of [false, true])
      await expect(windowOf({ repair }).fit(history)).rejects.toMatchObject({
        code: 'INVALID_HISTORY',
        details: { index: 1, rule: 'bad-message' },
      });
  });

  test.each([cyclic, deep])('a free field that contains itself', async (endless) => {
    const text = { type: 'text', text: 'b', citations: endless };
    for (const message of [user([text]), { ...user('b'), cache_control: endless }]) {
      const refused = expect.objectContaining({
        code: 'INVALID_HISTORY',
        details: expect.objectContaining({ index: 1, rule: 'bad-message' }),
      });
      const history = [user('a'), message];
      await expect(windowOf().fit(history)).rejects.toEqual(refused);
      expect(() => windowOf().trim(history)).toThrow(refused);
      expect(() => windowOf().estimateTokens(history)).toThrow(refused);
    }
  });

  test('a block that contains itself', async () => {
    await expect(
      windowOf().fit([user('a'), { role: 'assistant', content: [{ type: 'odd', cyclic }] }]),
    ).rejects.toMatchObject({
      details: { index: 1, rule: 'bad-message' },
    });
  });
});

describe('invalid arguments are refused with a clear message', () => {
  test.each([5, undefined, null, {}])('recall(%j)', async (handle) => {
    await expect(windowOf().recall(handle as string)).rejects.toMatchObject({ code: 'UNKNOWN_HANDLE' });
  });

  test.each([null, undefined, 5, 'text', { length: 1 }])('detectDialect(%j) and fit()', async (history) => {
    const refused = { code: 'INVALID_HISTORY', details: { rule: 'bad-history' } };
    await expect(async () => detectDialect(history as unknown as Wire[])).rejects.toMatchObject(refused);
    await expect(new ConversationWindow().fit(history as unknown as Wire[])).rejects.toMatchObject(refused);
  });

  test.each([{}, null, 5])('a signal of %j', async (signal) => {
    const options = { signal } as unknown as { signal: AbortSignal };
    await expect(windowOf().fit([user('a')], options)).rejects.toMatchObject({ code: 'BAD_CONFIG' });
    await expect(windowOf().compact([user('a')], options)).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  test.each([null, 5, ['a']])('a focus of %j', async (focus) => {
    const options = { focus } as unknown as { focus: string };
    await expect(windowOf().compact([user('a')], options)).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });
});
