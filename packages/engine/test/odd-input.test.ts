import { describe, expect, test } from 'vitest';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  detectDialect,
  type Strategy,
  type Verdict,
  type WindowEvent,
  type WindowParts,
} from '../src/index.ts';
import { FORMATS, type Format, type Wire } from './histories.ts';

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

describe('messages that no API takes are refused with their place, rule and fix', () => {
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

  test.each([cyclic, deep])('a field that costs nothing and has no end', async (endless) => {
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

  test('a block that holds itself', async () => {
    await expect(
      windowOf().fit([user('a'), { role: 'assistant', content: [{ type: 'odd', cyclic }] }]),
    ).rejects.toMatchObject({
      details: { index: 1, rule: 'bad-message' },
    });
  });
});

describe('what is no argument is refused in words', () => {
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

describe('the focus of compact()', () => {
  /** Which turns speak of the focus, as a strategy is told. */
  async function spoken(focus: string): Promise<{ found: number[]; warned: string[] }> {
    const found: number[] = [];
    const warned: string[] = [];
    const strategy: Strategy = {
      due: () => false,
      judge(turns) {
        for (const turn of turns) if (turn.focus > 0) found.push(turn.from);
        return { verdicts: turns.map((): Verdict => 'keep'), note: 'none' };
      },
    };
    const texts = [
      'the field f3 is wrong',
      'written in C#.',
      '检查数据库',
      'nothing of the kind',
      'the UI, rebuilt',
      'f30',
    ];
    const window = windowOf({ strategy }, { logger: { warn: (text) => warned.push(text) } });
    await window.compact(texts.map(user), { focus });
    return { found, warned };
  }
  test.each([
    ['f3', [0]],
    ['C#', [1]],
    ['数据', [2]],
    ['UI', [4]],
    ['f30.', [5]],
    ['wrong f3', [0]],
    ['to be of it', []],
    ['kind of', [3]],
  ])('%s', async (focus, places) => {
    expect((await spoken(focus)).found).toEqual(places);
  });

  test('with no word to look for, it says so', async () => {
    expect((await spoken('of it')).warned).toEqual([expect.stringContaining('of it')]);
    expect((await spoken('f3')).warned).toEqual([]);
    expect((await spoken('')).warned).toEqual([]);
  });
});

describe('a strategy is given copies, and its answers are checked', () => {
  const keepAll = (turns: readonly unknown[]) => ({
    verdicts: turns.map((): Verdict => 'keep'),
    note: 'none' as const,
  });
  type Loose = { max: { messages: number; tokens: number }; target: { messages: number; tokens: number } };

  test('it cannot change the budget, nor what is judged', async () => {
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
    ['a note that is none', (turns: readonly unknown[]) => ({ ...keepAll(turns), note: 'toString' })],
    ['nothing', () => undefined],
  ])('judge() that gives %s', async (_, judge) => {
    const strategy = { name: 'mine', due: () => true, judge } as unknown as Strategy;
    await expect(windowOf({ strategy }).fit(long(3))).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: expect.stringContaining('strategy mine: judge()'),
    });
  });

  test('due() that answers later', async () => {
    const strategy = { due: async () => false, judge: keepAll } as unknown as Strategy;
    await expect(windowOf({ strategy }).fit(long(3))).rejects.toMatchObject({
      code: 'BAD_CONFIG',
      message: expect.stringContaining('due()'),
    });
  });
});

describe('the same JSON is the same history', () => {
  const odd = () => ({
    zero: -0,
    none: Number.NaN,
    list: [undefined, Number.POSITIVE_INFINITY],
    when: new Date(0),
    gone: undefined,
  });
  test.each(['-0', 'all of it'])('after a round trip through JSON: %s', async (name) => {
    const history = [user('a'), ...call('c', name === '-0' ? { zero: -0 } : odd(), 'b')];
    const told: WindowEvent[] = [];
    const window = windowOf({}, { onEvent: (event) => told.push(event) });
    await window.fit(history);
    const restored = windowOf(
      {},
      { onEvent: (event) => told.push(event), state: JSON.parse(JSON.stringify(window.state())) },
    );
    const plain = JSON.parse(JSON.stringify(history)) as Wire[];
    for (const one of [window, restored]) for (const given of [plain, history]) await one.fit(given);
    expect(told).toEqual([]);
    await window.fit([user('a'), ...call('c', { zero: 1 }, 'b')]);
    expect(told).toMatchObject([{ type: 'history-rewritten', index: 1 }]);
  });
});

describe.each(FORMATS)('in %s, results that are the same', (format) => {
  const results: Readonly<Record<Format, (id: string, content: string) => Wire[]>> = {
    anthropic: (id, content) => call(id, {}, content),
    'openai-chat': (id, content) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'Read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content },
    ],
    'openai-responses': (id, content) => [
      { type: 'function_call', call_id: id, name: 'Read', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: content },
    ],
    'ai-sdk': (id, content) => [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'Read', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: 'Read', output: { type: 'text', value: content } }],
      },
    ],
  };
  test('are sent once: the older ones point to the newest, which stands whole, and come back', async () => {
    const same = 'export const value_of_all = 1;\n'.repeat(40);
    const history = [
      user('Mend it.'),
      ...results[format]('c1', same),
      ...results[format]('c2', 'another result\n'.repeat(60)),
      ...results[format]('c3', 'short'),
      ...results[format]('c4', same),
      user('Go on.'),
    ];
    const maskAll: Strategy = {
      due: () => true,
      judge: (turns) => ({
        verdicts: turns.map(({ results: own }): Verdict => (own.some(({ repeated }) => repeated) ? 'mask' : 'keep')),
        note: 'none',
      }),
    };
    const window = windowOf({ strategy: maskAll }, { dialect: format });
    const { messages } = await window.fit(history);
    expect(messages.filter((message) => !history.includes(message)).map((message) => JSON.stringify(message))).toEqual([
      expect.stringContaining('[same result as the later call c4; recall m2]'),
    ]);
    expect(messages[8]).toBe(history[8]);
    expect((await window.recall('m2')).messages).toEqual([history[2]]);
  });
});

describe('a newest result that no view can hold', () => {
  const signed = (words: string) => ({ type: 'thinking', thinking: words, signature: `s ${words}` });
  const huge = 'line of text\n'.repeat(3_000);
  const waiting = {
    role: 'assistant',
    content: [
      signed('one'),
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
      { type: 'tool_use', id: 'c1', name: 'Read', input: {} },
    ],
  };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const start = [user('Mend it.'), waiting, user([{ type: 'tool_result', tool_use_id: 'c1', content: huge }])];
  const thoughts = (view: readonly Wire[]) => JSON.stringify(view).match(/"signature":"s \w+"/g);

  test('is shortened alone: what was thought before it stays', async () => {
    const { messages } = await windowOf({ max_tokens: 2_000, max_messages: 0 }).fit(start);
    expect(JSON.stringify(messages)).toContain('recall m2');
    expect(thoughts(messages)).toEqual(['"signature":"s one"']);
  });

  test('with thinking behind it, that is bound to what it was: all thinking goes', async () => {
    const history = [...start, { role: 'assistant', content: [signed('two'), found, { type: 'text', text: 'Done.' }] }];
    const { messages } = await windowOf({ max_tokens: 2_000, max_messages: 0 }).fit(history, { rest: true });
    expect(JSON.stringify(messages)).toContain('recall m2');
    expect(thoughts(messages)).toBeNull();
  });
});
