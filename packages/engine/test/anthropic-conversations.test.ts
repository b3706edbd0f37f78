import { describe, expect, test } from 'vitest';
import { anthropic, ConversationWindow, type WindowEvent } from '../src/index.ts';
import { anthropicWindow, assistant, call, calls, live, system, user } from './anthropic-calls.ts';
import type { Format, Wire } from './histories.ts';
import { violationsOf } from './promises.ts';

describe('a system message inside an Anthropic conversation', () => {
  test('stays after the user message it follows, with the note after both', async () => {
    const history = [user('go'), system('be brief'), assistant('yes'), ...calls(30), user('more'), ...calls(0)];
    const view = await live(anthropicWindow({ max_messages: 20, preserve_first_n: 2 }), history);
    expect(view.slice(0, 2)).toEqual(history.slice(0, 2));
  });

  test.each([1_500, 2_500, 4_000])(
    'as the newest message keeps the turn it follows (%i tokens)',
    async (max_tokens) => {
      const history = [user('go'), ...calls(12), system('stop soon')];
      const view = await live(anthropicWindow({ max_tokens }), history);
      expect(view.at(-1)).toEqual(system('stop soon'));
    },
  );
});

test('the result of a server tool stays with its call, even across a pause', async () => {
  const pause = [
    assistant([
      { type: 'text', text: 'I search.' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    ]),
    assistant([
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_1',
        content: [{ type: 'web_search_result', url: 'u', title: 'x'.repeat(9_000) }],
      },
    ]),
  ];
  for (const preserve_first_n of [1, 2, 3]) {
    const window = anthropicWindow({ max_tokens: 4_500, preserve_first_n });
    await window.fit([user('go'), ...pause.slice(0, 1)]);
    for (let n = 0; n < 12; n++) {
      const { messages } = await window.fit([user('go'), ...pause, ...calls(n)]);
      const held = JSON.stringify(messages);
      expect(held.includes('"server_tool_use"')).toBe(held.includes('"web_search_tool_result"'));
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
  }
});

test('a usage report too large for one call is refused and blocks nothing', async () => {
  const warnings: string[] = [];
  const window = new ConversationWindow<Wire>(
    { max_tokens: 5_000 },
    { logger: { warn: (text) => warnings.push(text) } },
  );
  await window.fit([user('go')]);
  window.observe({ input_tokens: 1e9 });
  expect(warnings).toEqual([expect.stringContaining('ignored')]);
  expect((await window.fit([user('go')])).messages).toHaveLength(1);
});

describe('cache markers', () => {
  const marked = (i: number): Wire[] => [
    call(i)[0] as Wire,
    user([
      {
        type: 'tool_result',
        tool_use_id: `t${i}`,
        content: [{ type: 'text', text: 'ok', cache_control: { type: 'ephemeral' } }],
      },
    ]),
  ];

  test('inside results count, and the newest four are kept', async () => {
    const { messages } = await anthropicWindow({}).fit([
      user('go'),
      ...Array.from({ length: 6 }, (_, i) => marked(i)).flat(),
    ]);
    expect(violationsOf('anthropic', messages)).toEqual([]);
    expect(JSON.stringify(messages).match(/cache_control/g)).toHaveLength(4);
  });

  test('that turn a text into a block are not an edit', async () => {
    const events: WindowEvent[] = [];
    const window = anthropicWindow({}, (event) => events.push(event));
    await window.fit([user('go')]);
    await window.fit([
      user([{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } }]),
      assistant('yes'),
      user('on'),
    ]);
    expect(events).toEqual([]);
  });

  test('of shortened results go where the caller moves them, also in a restored window', async () => {
    const words = (i: number) => Array.from({ length: 100 }, (_, n) => `${i}.${n} ${i * n * 7919}`).join('\n');
    const long = (i: number, isLast: boolean): Wire[] => {
      const block = { type: 'tool_result', tool_use_id: `t${i}`, content: words(i) };
      return [
        assistant([{ type: 'tool_use', id: `t${i}`, name: 'look', input: {} }]),
        user([isLast ? { ...block, cache_control: { type: 'ephemeral' } } : block]),
      ];
    };
    const upTo = (last: number) => [
      user('go'),
      ...Array.from({ length: last }, (_, i) => long(i, i === last - 1)).flat(),
    ];
    // As a log of messages has them, each of which was the last one when it was received.
    const asReceived = [user('go'), ...Array.from({ length: 12 }, (_, i) => long(i, true)).flat()];
    const config = { max_tokens: 4_000, preserve_last_n: 2, prefer: 'memory' } as const;
    const first = anthropicWindow(config);
    const { receipt } = await first.fit(asReceived);
    expect(receipt?.turns.map(({ verdict }) => verdict)).toContain('mask');
    const windows = [first, new ConversationWindow<Wire>(config, { dialect: anthropic(), state: first.state() })];
    for (const window of windows) {
      const { messages } = await window.fit(upTo(13));
      expect(JSON.stringify(messages).match(/cache_control/g)).toHaveLength(1);
    }
  });
});

test('a newest message that is only thinking does not empty the view', async () => {
  const history = [user('go'), ...calls(6), assistant([{ type: 'thinking', thinking: 'hm', signature: 's' }])];
  const { messages, metrics, receipt } = await anthropicWindow({ max_messages: 4 }).fit(history);
  expect(messages).toHaveLength(4);
  expect(metrics.preservedMessages).toBe(4);
  expect(receipt?.note).toBeDefined();
  expect(messages.at(-1)).toMatchObject({ role: 'user' });
});

describe('a compaction by the provider mid-conversation', () => {
  const sealed = { type: 'compaction', encrypted_content: 'g'.repeat(2_000) };
  const compacted: Readonly<Partial<Record<Format, Wire>>> = {
    anthropic: assistant([{ type: 'compaction', content: 'The parser was read.' }]),
    'openai-responses': { ...sealed, id: 'cmp_1' },
    'ai-sdk': assistant([{ type: 'custom', kind: 'openai.compaction', providerOptions: { openai: sealed } }]),
  };

  test.each(Object.entries(compacted))(
    'is carried in %s as it is, in its place, fold after fold',
    async (dialect, own) => {
      const window = new ConversationWindow<Wire>(
        { max_messages: 12, preserve_last_n: 2 },
        { dialect: dialect as Format },
      );
      const history: Wire[] = [];
      for (let i = 0; i < 60; i++) {
        history.push(user(`question ${i}`), i === 9 ? own : assistant(`answer ${i}`));
        const { messages } = await window.fit([...history, user('and?')]);
        if (i < 9) continue;
        const at = messages.indexOf(own);
        expect(at, `at ${i}`).toBeGreaterThan(0);
        const places = messages.map((message) => history.indexOf(message)).filter((place) => place >= 0);
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(violationsOf(dialect as Format, messages)).toEqual([]);
      }
      expect(window.state().folds).toBeGreaterThan(3);
    },
  );
});

describe('an answer that is only thinking after a system message', () => {
  const thought = assistant([{ type: 'thinking', thinking: 'hm', signature: 'c2ln' }]);
  const start: Wire[] = [user('go'), { role: 'system', content: 'be brief' }, thought, user('and?')];
  const talk = (n: number) => Array.from({ length: n }, (_, i) => (i % 2 ? user(`and ${i}?`) : assistant(`so ${i}.`)));
  const history = [...start, ...talk(30)];

  test.each(['fold', 'sliding', 'rolling', 'governed'] as const)('leaves a valid view with %s', async (strategy) => {
    const window = anthropicWindow({ max_messages: 12, preserve_first_n: 1, strategy });
    for (let length = 4; length <= history.length; length += 2) {
      const { messages } = await window.fit(history.slice(0, length));
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
    await window.undo();
    expect(violationsOf('anthropic', window.state().view)).toEqual([]);
  });

  test('leaves a valid view after an edit, after a restore and in pruneHistory()', async () => {
    const events: WindowEvent[] = [];
    const onEvent = (event: WindowEvent) => events.push(event);
    const window = anthropicWindow({}, onEvent);
    await window.fit(start);
    const edited = start.with(0, user('go on'));
    const { messages } = await window.fit(edited);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'system', 'assistant', 'user']);
    expect(violationsOf('anthropic', messages)).toEqual([]);
    expect(events).toHaveLength(1);
    const state = JSON.parse(JSON.stringify(window.state()));
    const restored = new ConversationWindow<Wire>({}, { dialect: 'anthropic', state, onEvent });
    expect((await restored.fit([...edited, ...talk(2)])).messages.slice(0, 4)).toEqual(messages);
    expect(events).toHaveLength(1);
    const { trimmed } = anthropicWindow({}).pruneHistory([user('first'), assistant('yes'), ...start], 4);
    expect(violationsOf('anthropic', trimmed)).toEqual([]);
  });
});

describe('an answer that ends in white space', () => {
  const history = [user('go'), assistant('done \n')];
  const asked = { transient: user('It is noon.') };

  test.each([
    ['a compaction', (window: ConversationWindow<Wire>) => window.compact(history)],
    ['a call that sends nothing', (window: ConversationWindow<Wire>) => window.fit(history, { rest: true })],
    ['one with a transient message', (window: ConversationWindow<Wire>) => window.fit(history, asked)],
  ])('is refused at the end of a request, even after %s', async (_, before) => {
    const window = anthropicWindow({});
    await before(window);
    await expect(window.fit(history)).rejects.toMatchObject({ details: { rule: 'trailing-whitespace' } });
    expect((await window.fit([...history, user('and?')])).messages).toHaveLength(3);
  });
});
