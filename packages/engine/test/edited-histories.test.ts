import { describe, expect, test } from 'vitest';
import {
  type ArchiveEntry,
  type ConversationHistoryConfig,
  ConversationWindow,
  memoryArchive,
  type WindowEvent,
  type WindowState,
} from '../src/index.ts';
import type { Block, Wire } from './histories.ts';
import { violationsOf } from './promises.ts';

const SECRET = 'hunter2-hunter2';
const user = (content: string): Wire => ({ role: 'user', content });

/** A call with thinking, and its long result. */
const turn = (i: number, tag = 'one'): Wire[] => [
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: `let me see, ${i}`, signature: `s${i}` },
      {
        type: 'tool_use',
        id: `${tag}${i}`,
        name: 'Bash',
        input: { command: `login ${tag} ${i} --password ${SECRET}` },
      },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: `${tag}${i}`, content: `${tag} ${i} ${'some words of output\n'.repeat(60)}` },
    ],
  },
];
const called = (i: number, content: string): Wire[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id: `c${i}`, name: 'Bash', input: { command: `run ${i}` } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${i}`, content }] },
];
const work = (turns: number, tag?: string): Wire[] => [
  user(`Mend it, ${tag}.`),
  ...Array.from({ length: turns }, (_, i) => turn(i, tag)).flat(),
];

function watched(
  config: ConversationHistoryConfig = { max_messages: 30, max_tokens: 4_000, prefer: 'memory' },
  state?: WindowState<Wire>,
) {
  const events: WindowEvent[] = [];
  const window = new ConversationWindow<Wire>(config, {
    dialect: 'anthropic',
    onEvent: (event) => events.push(event),
    ...(state ? { state } : {}),
  });
  return { window, rewritten: () => events.filter(({ type }) => type === 'history-rewritten') };
}

async function grown(window: ConversationWindow<Wire>, history: readonly Wire[], from = 1) {
  for (let length = from; length <= history.length; length += 2) await window.fit(history.slice(0, length));
}

const withoutSecret = (message: Wire): Wire => JSON.parse(JSON.stringify(message).replaceAll(SECRET, '[removed]'));

describe('text removed from a history is no longer sent', () => {
  const standing = (state: WindowState<Wire>, kind: 'cuts' | 'unthought') =>
    state.turns.find((one) => one.from > 0 && one[kind] && !(kind === 'unthought' && one.cuts));

  test.each(['cuts', 'unthought'] as const)('from the call of a turn with %s, live and restored', async (kind) => {
    const history = work(12);
    for (const restored of [false, true]) {
      const live = watched();
      await grown(live.window, history);
      const { window, rewritten } = restored ? watched(undefined, live.window.state()) : live;
      const { from = 0 } = standing(window.state(), kind) ?? {};
      expect(from).toBeGreaterThan(0);
      const edited = history.with(from, withoutSecret(history[from] as Wire));
      const { messages } = await window.fit(edited);
      expect(rewritten()).toHaveLength(1);
      expect(JSON.stringify(messages)).not.toContain(`one ${(from - 1) / 2} --password ${SECRET}`);
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
  });

  test('from a message changed in place to a text of the same length', async () => {
    const history = work(6);
    const { window, rewritten } = watched({ max_messages: 60, max_tokens: 90_000 });
    await window.fit(history);
    const [, call] = (history[5] as { content: [Block, { input: { command: string } }] }).content;
    call.input.command = call.input.command.replace(SECRET, '*'.repeat(SECRET.length));
    const { messages } = await window.fit(history);
    expect(rewritten()).toMatchObject([{ index: 5 }]);
    expect(messages).toHaveLength(history.length);
    expect(JSON.stringify(window.state())).not.toContain(`one 2 --password ${SECRET}`);
    await window.fit(history);
    expect(rewritten()).toHaveLength(1);
  });

  test('from a shortened result, by its preview', async () => {
    const history = work(12);
    const { window, rewritten } = watched();
    await grown(window, history);
    const { from = 0 } = standing(window.state(), 'cuts') ?? {};
    const [result] = (history[from + 1] as { content: [{ content: string }] }).content;
    result.content = result.content.replace('one', 'ONE');
    const { messages } = await window.fit(history);
    expect(rewritten()).toHaveLength(1);
    expect(JSON.stringify(messages)).not.toContain(`"one ${(from - 1) / 2} some`);
  });
});

describe('text removed from a dropped message', () => {
  const history = work(14);
  const at = 3;
  const edited = history.with(at, withoutSecret(history[at] as Wire));
  const dropsIt = (state: WindowState<Wire>) => !state.turns.some(({ from, count }) => from <= at && at < from + count);
  const next = turn(99);

  test.each(['live', 'restored before the undo', 'restored after it'])(
    'does not come back with an undo, %s',
    async (how) => {
      const archive = memoryArchive<Wire>();
      const open = (state?: WindowState<Wire>) =>
        new ConversationWindow<Wire>(
          { max_messages: 30, max_tokens: 4_000 },
          { dialect: 'anthropic', archive, ...(state ? { state } : {}) },
        );
      let window = open();
      await grown(window, history);
      await window.fit(edited);
      expect(dropsIt(window.state())).toBe(true);
      if (how === 'restored before the undo') window = open(window.state());
      while (dropsIt(window.state())) expect(await window.undo()).toBeDefined();
      if (how === 'restored after it') window = open(window.state());
      const rest = window.fit(next, { offset: edited.length });
      await expect(rest).rejects.toMatchObject({ details: { rule: 'edited-history' } });
      const { messages } = await window.fit([...edited, ...next]);
      expect(JSON.stringify(messages)).not.toContain(`one 1 --password ${SECRET}`);
      await window.fit(turn(100), { offset: edited.length + next.length });
    },
  );

  test('and a caller that only ever passed new messages needs no whole history after an undo', async () => {
    const { window } = watched();
    for (let from = 0; from < history.length; from += from === 0 ? 1 : 2)
      await window.fit(history.slice(from, from === 0 ? 1 : from + 2), { offset: from });
    expect(await window.undo()).toBeDefined();
    await window.fit(next, { offset: history.length });
  });
});

describe('from the visible part of a shortened result, to a text of the same length', () => {
  test.each(['in place', 'by a copy'])('%s', async (how) => {
    const words = (i: number) => `some words of output ${i} `.repeat(200);
    for (let place = 600; place < 1_900; place += 100) {
      const secret = words(0).slice(0, place) + SECRET + words(0).slice(place);
      const results = [secret, ...[1, 2, 3].map(words)];
      const history = [user('Mend it.'), ...results.flatMap((content, i) => called(i, content))];
      const { window } = watched({ strategy: 'governed' });
      expect(JSON.stringify((await window.fit(history)).messages)).toContain(SECRET);
      const [result] = (history[2] as { content: [{ content: string }] }).content;
      const content = secret.replace(SECRET, '*'.repeat(SECRET.length));
      if (how === 'in place') result.content = content;
      else history[2] = { ...history[2], content: [{ ...result, content }] } as Wire;
      expect(JSON.stringify((await window.fit(history)).messages)).not.toContain(SECRET);
    }
  });
});

test('a result that a later fold shows another part of is still the same', async () => {
  const [call, results] = [0, 1].reduce<[Block[], Block[]]>(
    ([calls, results], i) => [
      [...calls, { type: 'tool_use', id: `p${i}`, name: 'Bash', input: { command: `run ${i}` } }],
      [
        ...results,
        { type: 'tool_result', tool_use_id: `p${i}`, content: `${i} ${'words of it '.repeat(300 + 900 * i)}` },
      ],
    ],
    [[], []],
  );
  const history: Wire[] = [
    user('Mend it.'),
    { role: 'assistant', content: call },
    { role: 'user', content: results },
  ] as Wire[];
  const { window, rewritten } = watched({ strategy: 'governed', max_tokens: 3_000 });
  for (let i = 0; i < 4; i++) {
    const { messages } = await window.fit(history);
    expect((await window.fit(history)).messages).toEqual(messages);
    history.push(...called(i, `short ${i}`));
  }
  expect(rewritten()).toEqual([]);
});

describe('handles', () => {
  test('after a rewind resolve to the branch they were shown in', async () => {
    const { window } = watched({ max_messages: 20, max_tokens: 90_000 });
    const first = work(20);
    await grown(window, first);
    const second = [...first.slice(0, 25), ...work(30, 'two').slice(1)];
    const printed = new Map<string, Wire[]>();
    for (let length = 27; length <= second.length; length += 2) {
      const { receipt } = await window.fit(second.slice(0, length));
      for (const { from, to, handle } of receipt?.turns ?? [])
        if (handle) printed.set(handle, second.slice(from, to + 1));
      const [, runs = ''] = /messages \(([^)]*)\)/.exec(receipt?.note ?? '') ?? [];
      for (const [run, from, to = from] of runs.matchAll(/m(\d+)(?:~\d+)?(?:-m(\d+)(?:~\d+)?)?/g))
        printed.set(run, second.slice(Number(from), Number(to) + 1));
    }
    expect([...printed.keys()].some((handle) => handle.includes('~'))).toBe(true);
    for (const [handle, messages] of printed) expect((await window.recall(handle)).messages).toEqual(messages);
  });

  test('resolve to what was archived, even if the caller later changes the original or the recalled copy', async () => {
    const history = work(20);
    const { window } = watched();
    await grown(window, history);
    const was = structuredClone(history[3]);
    Object.assign(history[3] as object, { content: 'other words' });
    const { messages } = await window.recall('m3');
    expect(messages).toEqual([was]);
    Object.assign(messages[0] as object, { content: 'others again' });
    expect((await window.recall('m3')).messages).toEqual([was]);
  });

  test('of a range over two revisions, as in older notes, resolve to what they named or to nothing', async () => {
    const { window } = watched({ max_messages: 20, max_tokens: 90_000 });
    const first = work(12);
    await grown(window, first);
    const second = [...first.slice(0, 21), ...work(20, 'two').slice(1)];
    await grown(window, second, 21);
    const { revisions } = window.state();
    const [start = 0, revision = 0] = revisions.at(-1) ?? [];
    expect(start).toBeGreaterThan(1);
    const { messages } = await window.recall(`m1-m${start + 3}~${revision}`);
    expect(messages).toEqual(second.slice(1, start + 4));
    await expect(window.recall(`m1-m${start + 3}~${revision + 1}`)).rejects.toMatchObject({ code: 'UNKNOWN_HANDLE' });
  });
});

describe('a window never does worse than a new one', () => {
  test('an edit of a dropped message, then a rewind', async () => {
    const { window, rewritten } = watched({ max_messages: 16, max_tokens: 90_000 });
    const history = work(30);
    await grown(window, history);
    window.pin(0);
    // A message out of the dropped part: every place behind it holds another one.
    const edited = [...history.slice(0, 5), ...history.slice(7)];
    for (const length of [edited.length, 31, 33, 21, 23, 25]) {
      const { messages } = await window.fit(edited.slice(0, length));
      expect(violationsOf('anthropic', messages)).toEqual([]);
      const { messages: cold } = await watched({ max_messages: 16, max_tokens: 90_000 }).window.fit(
        edited.slice(0, length),
      );
      expect(messages[0]).toEqual(cold[0]);
    }
    expect(rewritten().length).toBeGreaterThan(0);
    expect(window.state().pins).toEqual([0]);
  });

  test('an edit of a dropped message, then a rewind to before the drop', async () => {
    const { window } = watched({ max_messages: 16, max_tokens: 90_000 });
    const history = work(30);
    await grown(window, history);
    const { log, turns } = window.state();
    const stands = new Set(turns.map(({ from }) => from));
    // A turn that an earlier fold had kept.
    const fold = log.findLast(({ kept }) => kept.some(({ from }) => !stands.has(from)));
    const { from: at = 0 } = fold?.kept.findLast(({ from }) => !stands.has(from)) ?? {};
    expect(at).toBeGreaterThan(0);
    const edited = history.with(at, withoutSecret(history[at] as Wire));
    await window.fit(edited);
    const back = [...edited.slice(0, (fold?.covered ?? 0) + 2), ...work(20, 'two').slice(1)];
    for (let length = (fold?.covered ?? 0) + 2; length <= back.length; length += 2) {
      const { messages } = await window.fit(back.slice(0, length));
      expect(violationsOf('anthropic', messages)).toEqual([]);
      expect(JSON.stringify(messages)).not.toContain(`one ${(at - 1) / 2} --password ${SECRET}`);
    }
  });

  test('another conversation, in another wire format', async () => {
    const events: WindowEvent[] = [];
    const window = new ConversationWindow<Wire>({ max_messages: 16 }, { onEvent: (event) => events.push(event) });
    await grown(window, work(12));
    const other = [
      user('Hello.'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'now', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'noon' },
    ];
    expect((await window.fit(other)).messages).toEqual(other);
    expect(events.at(-1)).toMatchObject({ type: 'history-rewritten' });
    expect((await window.recall('m3')).messages).toEqual([work(12)[3]]);
  });

  test('an old state without hashes is accepted and falls back to the history', async () => {
    const live = watched({ max_messages: 16, max_tokens: 90_000 });
    const history = work(30);
    await grown(live.window, history);
    const old = JSON.parse(
      JSON.stringify(live.window.state(), (key, value) => (key === 'hash' || key === 'settled' ? undefined : value)),
    );
    const { window, rewritten } = watched({ max_messages: 16, max_tokens: 90_000 }, old);
    const { messages } = await window.fit(history);
    expect(messages).toEqual((await live.window.fit(history)).messages);
    const { messages: back } = await window.fit(history.slice(0, 23));
    expect(violationsOf('anthropic', back)).toEqual([]);
    expect(rewritten()).toHaveLength(1);
  });
});

describe('a preview of a history that is then discarded', () => {
  const drafted = [...work(2), ...work(14, 'draft').slice(1)];
  const said = [...work(2), ...work(20, 'said').slice(1)];

  test.each(['longer than what was seen', 'edited'])(
    '%s: its handles stay, and others are used later',
    async (kind) => {
      const { window, rewritten } = watched();
      await window.fit(kind === 'edited' ? [user('Begin.'), ...said.slice(1, 5)] : said.slice(0, 5));
      const { turns } = await window.compact(drafted, { preview: true });
      const handles = turns.flatMap(({ verdict, handle }) => (verdict !== 'keep' && handle ? handle : []));
      const shown = await Promise.all(handles.map((handle) => window.recall(handle)));
      expect(shown.length).toBeGreaterThan(3);
      expect(rewritten()).toEqual([]);
      const { receipt } = await window.fit(said);
      expect(receipt).toBeDefined();
      expect(await Promise.all(handles.map((handle) => window.recall(handle)))).toEqual(shown);
      expect(rewritten()).toHaveLength(kind === 'edited' ? 1 : 0);
    },
  );

  test('and one that is used has the handles of its preview', async () => {
    const { window } = watched();
    await window.fit([user('Begin.'), ...said.slice(1, 5)]);
    const preview = await window.compact(said, { preview: true });
    expect(await window.compact(said)).toEqual(preview);
  });

  test('messages get new handles if an archive stored others under theirs before it failed', async () => {
    const archive = memoryArchive<Wire>();
    let fails = true;
    const broken = {
      ...archive,
      put(entries: readonly ArchiveEntry<Wire>[]) {
        archive.put(entries);
        if (fails) throw new Error('connection lost');
      },
    };
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { dialect: 'anthropic', archive: broken });
    await expect(window.fit(drafted)).rejects.toThrow('connection lost');
    fails = false;
    expect((await window.fit(said)).receipt).toBeDefined();
  });
});
