import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { focusWords } from '../src/fold/focus.ts';
import { ConversationWindow, repairHistory } from '../src/index.ts';
import { validateAiSdk, validateAnthropic, validateOpenaiChat, validateOpenaiResponses } from '../src/rules/index.ts';
import { dialectOf, type Format, PIXEL, say, type Wire } from './histories.ts';
import { counting, violationsOf } from './promises.ts';

const user = (content: unknown): Wire => ({ role: 'user', content });
const assistant = (content: unknown): Wire => ({ role: 'assistant', content });
const windowOf = (dialect: Format, config = {}) =>
  new ConversationWindow<Wire>(config, { dialect, logger: { warn: () => {} } });
const ids = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`);

/** Calls of one message, or of as many items, and their results in any order. */
const WIRE: Readonly<
  Record<Format, (called: readonly string[], answered: readonly string[], args?: unknown) => Wire[]>
> = {
  anthropic: (called, answered, input = {}) => [
    assistant(called.map((id) => ({ type: 'tool_use', id, name: 'Read', input }))),
    user(answered.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'text' }))),
  ],
  'openai-chat': (called, answered, args = '{}') => [
    {
      ...assistant(null),
      tool_calls: called.map((id) => ({ id, type: 'function', function: { name: 'Read', arguments: args } })),
    },
    ...answered.map((id) => ({ role: 'tool', tool_call_id: id, content: 'text' })),
  ],
  'openai-responses': (called, answered, args = '{}') => [
    ...called.map((call_id) => ({ type: 'function_call', call_id, name: 'Read', arguments: args })),
    ...answered.map((call_id) => ({ type: 'function_call_output', call_id, output: 'text' })),
  ],
  'ai-sdk': (called, answered, input = {}) => [
    assistant(called.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'Read', input }))),
    {
      role: 'tool',
      content: answered.map((toolCallId) => ({
        type: 'tool-result',
        toolCallId,
        toolName: 'Read',
        output: { type: 'text', value: 'text' },
      })),
    },
  ],
  gemini: (called, answered, args = {}) => [
    {
      role: 'model',
      parts: called.map((id) => ({ functionCall: { id, name: 'Read', args }, thoughtSignature: 'c2ln' })),
    },
    {
      role: 'user',
      parts: answered.map((id) => ({ functionResponse: { id, name: 'Read', response: { output: 'text' } } })),
    },
  ],
};
const FORMATS = Object.keys(WIRE) as Format[];

/** How many times as long eight times the input takes. */
const growth = (run: (size: number) => unknown, size: number): Promise<number> =>
  timeRatio(
    () => run(8 * size),
    () => run(size),
    { enough: LINEAR },
  );
/** What grows with the input takes 8 times as long, what grows with its square 64 times, less as much as it hides behind the rest. */
const LINEAR = 25;

describe.each(FORMATS)('in %s, time grows with the input', (format) => {
  const turns = (count: number, make: (i: number) => Wire[]) => [
    say(format, 'user', 'go'),
    ...ids(count).flatMap((_, i) => make(i)),
  ];

  test('of parallel calls with their results in reverse order', async () => {
    const make = (n: number) => [say(format, 'user', 'go'), ...WIRE[format](ids(n), ids(n).reverse())];
    const run = async (n: number) => {
      const history = make(n);
      const window = windowOf(format, { max_messages: 0 });
      const { messages } = await window.fit(history);
      expect(messages).toHaveLength(history.length);
      window.trim(history);
      repairHistory(history, { dialect: format });
    };
    expect(await growth(run, 1_000)).toBeLessThan(LINEAR);
    const check = (n: number) => expect(violationsOf(format, make(n))).toEqual([]);
    expect(await growth(check, 1_000)).toBeLessThan(LINEAR);
  });

  test('of a history to repair', async () => {
    const call = (id: string) => WIRE[format]([id], []).slice(0, 1);
    const results = (n: number) => WIRE[format]([], ids(n)).slice(format.startsWith('openai') ? -n : -1);
    const run = (n: number) => {
      for (const history of [
        turns(n, (i) => [...call(`c${i}`), say(format, 'user', 'next')]),
        turns(n, () => WIRE[format](['c'], ['c'])),
        [say(format, 'user', 'go'), ...WIRE[format](ids(n).fill('c'), ids(n).fill('c'))],
        [...turns(n, (i) => call(`c${i}`)), ...results(n)],
      ])
        repairHistory(history, { dialect: format });
    };
    expect(await growth(run, 400)).toBeLessThan(LINEAR);
  });

  test.each<[string, (i: number) => Wire[]]>([
    ['calls without a result', (i) => [...WIRE[format]([`c${i}`], []).slice(0, 1), say(format, 'user', 'next')]],
    ['calls of one id', () => [...WIRE[format](['c'], ['c']), say(format, 'user', 'next')]],
  ])('repair of a growing history reads only new messages: %s', async (_, make) => {
    const { dialect, reads } = counting(dialectOf(format));
    const window = new ConversationWindow<Wire>({ repair: true, max_messages: 40 }, { dialect });
    const history: Wire[] = [say(format, 'user', 'go')];
    const most: number[] = [];
    for (let i = 0; i < 120; i++) {
      history.push(...make(i));
      reads();
      const { receipt } = await window.fit(history);
      if (!receipt) most.push(reads());
    }
    expect(Math.max(...most.slice(-20))).toBeLessThanOrEqual(Math.max(...most.slice(10, 30)));
    expect(Math.max(...most)).toBeLessThan(100);
  });
});

test('pairing server tools that wait for client tools takes time proportional to the history', async () => {
  const run = (n: number) => {
    const history = [user('go')];
    for (const id of ids(n)) {
      const call = { type: 'server_tool_use', id: `s${id}`, name: 'web_search', input: {} };
      history.push(assistant([call, { type: 'tool_use', id, name: 'Read', input: {} }]));
      history.push(user([{ type: 'tool_result', tool_use_id: id, content: 'text' }]));
    }
    history.push(user('stop'));
    repairHistory(history, { dialect: 'anthropic' });
  };
  expect(await growth(run, 1_000)).toBeLessThan(LINEAR);
});

describe('a fold takes time proportional', () => {
  const end = [assistant('Yes.'), user('On.')];
  const parallel = (n: number, content: unknown) => [
    user('go'),
    assistant(ids(n).map((id) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: `src/${id}.ts` } }))),
    user(ids(n).map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content }))),
    ...end,
  ];
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
  const statement = (i: number) => `I decided to use module_${i} instead of other_${i % 97}, because it is simpler.\n`;
  const few = ['cache', 'parser', 'worker', 'index', 'buffer', 'reader', 'socket', 'thread', 'schema', 'router'];
  const vague = (i: number) =>
    `We chose the ${[1, 7, 11, 13, 17].map((n) => few[(i * n + Math.floor(i / n)) % 10]).join(' ')} first.\n`;
  const spoken = (n: number, say: (i: number) => string) => [
    user('go'),
    assistant(
      ids(n)
        .map((_, i) => say(i))
        .join(''),
    ),
    user('on'),
    ...end,
  ];

  test.each<[string, number, (n: number) => Wire[]]>([
    ['an answer full of statements', 3_000, (n) => spoken(n, statement)],
    ['an answer full of statements in few words', 2_000, (n) => spoken(n, vague)],
    ['reads of many files', 1_500, (n) => parallel(n, 'a result')],
    ['images of one turn', 150, (n) => parallel(n, [{ type: 'text', text: 'shot' }, image])],
  ])('to %s', async (_, size, make) => {
    const run = (n: number) =>
      windowOf('anthropic', { max_messages: 0, max_tokens: 300_000 })
        .compact(make(n))
        .catch((error) => expect(error).toMatchObject({ code: 'OVER_BUDGET' }));
    expect(await growth(run, size)).toBeLessThan(LINEAR);
  });

  test('to the results of one turn that are a message each', async () => {
    const make = (n: number) =>
      WIRE['openai-chat'](ids(n), ids(n)).map((one) =>
        one.role === 'tool' ? { ...one, content: 'a line of it\n'.repeat(60) } : one,
      );
    const run = (n: number) =>
      windowOf('openai-chat', { max_messages: 0, max_tokens: 80 * n + 4_000 }).fit([user('go'), ...make(n)]);
    expect(await growth(run, 1_000)).toBeLessThan(LINEAR);
  });
});

describe('compact({ focus }) takes time proportional to the focus', () => {
  const history = [user('go'), ...ids(30).flatMap((id) => WIRE.anthropic([id], [id], { path: 'src/a.ts' }))];
  test.each([
    ['many words', (n: number) => Array.from({ length: n / 8 }, (_, i) => `word_${i}`).join(' ')],
    ['a line', (n: number) => `${'-'.repeat(n)}a`],
    ['dots and a word', (n: number) => `${'./'.repeat(n / 2)} parse`],
  ])('of %s', async (_, make) => {
    const run = (n: number) => windowOf('anthropic').compact(history, { focus: make(n), preview: true });
    expect(await growth(run, 20_000)).toBeLessThan(LINEAR);
  });

  test('and still finds a word after a long line', () => {
    const words = focusWords(`${'-'.repeat(1_000)} src/rare.ts`);
    expect(words.some((mentions) => mentions('read src/rare.ts'))).toBe(true);
  });
});

describe('arguments nested to any depth', () => {
  const LEVELS = 8_000;
  const json = `${'{"a":'.repeat(LEVELS)}"src/deep.ts"${'}'.repeat(LEVELS)}`;
  const deep: unknown = JSON.parse(json);
  const more = (format: Format) => ids(30).flatMap((id) => WIRE[format]([id], [id]));

  test.each(['openai-chat', 'openai-responses'] as const)(
    'as JSON text are folded, summarized and recalled in %s',
    async (format) => {
      const history = [user('go'), ...WIRE[format](['deep'], ['deep'], json), ...more(format)];
      const window = windowOf(format, { max_messages: 20 });
      const { messages, receipt } = await window.fit(history);
      expect(receipt?.dropped).toBeGreaterThan(0);
      expect(violationsOf(format, messages)).toEqual([]);
      expect((await window.recall('m1')).messages).toEqual([history[1]]);
      expect(await window.summarize(history, { call: async () => 'Fine.' })).toContain('Fine.');
      await window.compact([...history, user('next')], { focus: 'deep' });
      expect(repairHistory(history, { dialect: format }).repairs).toEqual([]);
      expect(window.trim(history).trimmed.length).toBeLessThan(history.length);
    },
  );

  test.each(['anthropic', 'ai-sdk'] as const)(
    'as objects are refused with a clear message in %s, because no client could send them',
    async (format) => {
      const history = [user('go'), ...WIRE[format](['deep'], ['deep'], deep), ...more(format)];
      const refused = { code: 'INVALID_HISTORY', details: { index: 1, rule: 'bad-message' } };
      const window = windowOf(format, { max_messages: 20 });
      await expect(window.fit(history)).rejects.toMatchObject(refused);
      await expect(window.compact(history)).rejects.toMatchObject(refused);
      for (const act of [
        async () => window.trim(history),
        async () => window.pruneHistory(history),
        async () => window.estimateTokens(history),
        async () => repairHistory(history, { dialect: format }),
      ])
        await expect(act()).rejects.toMatchObject(refused);
      await expect(window.summarize(history, { call: async () => '' })).rejects.toMatchObject({
        code: 'INVALID_HISTORY',
      });
      const edited = history.with(1, assistant('short')).with(2, user('a'));
      await window.fit(edited.slice(0, 3));
      await expect(window.fit(history.slice(0, 3))).rejects.toMatchObject(refused);
    },
  );

  test('do not break the rules’ checks', () => {
    const part = { providerOptions: { any: { deep } } };
    expect(validateAiSdk([{ role: 'user', content: 'a', ...part } as never])[0]?.rule).toBe('bad-options');
    expect(validateAnthropic([user('go'), ...WIRE.anthropic(['a'], ['a'], deep)] as never)).toEqual([]);
    expect(validateOpenaiChat([user('go'), ...WIRE['openai-chat'](['a'], ['a'], json)] as never)).toEqual([]);
    expect(validateOpenaiResponses([user('go'), ...WIRE['openai-responses'](['a'], ['a'], json)] as never)).toEqual([]);
  });
});

test('a fold of a result with one long line of ids takes about as long as one with many lines', async () => {
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'Read', arguments: '{}' } }];
  const run = (end: string) => {
    const content = `${'8f6e8f5e '.repeat(10)}${end}`.repeat(6_000);
    const read = [
      { ...assistant(null), tool_calls },
      { role: 'tool', tool_call_id: 'a', content },
    ];
    const history = [user('Go'), ...read, user('On'), assistant('Yes'), user('On')];
    return windowOf('openai-chat', { max_messages: 4 }).fit(history);
  };
  const ratio = await timeRatio(
    () => run(''),
    () => run('\n'),
    { enough: 5, tries: 3 },
  );
  expect(ratio).toBeLessThan(20);
});
