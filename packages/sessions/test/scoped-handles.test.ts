import { ConversationWindow, openaiChat, type Strategy, type WindowState } from 'holdfast';
import { expect, test } from 'vitest';
import type { SessionEntry, WireMessage } from '../src/entry.ts';
import {
  forkSession,
  restoreConversation,
  type SessionStore,
  type SessionWriter,
  sessionArchive,
  sessionWriter,
  verifySession,
} from '../src/index.ts';
import { newStore } from './new-store.ts';

/** Drops half of the turns and masks the rest. */
const MASKING: Strategy = {
  due: () => false,
  judge: (turns) => ({
    verdicts: turns.map((_, i) => (i % 2 === 0 ? 'drop' : 'mask')),
    note: 'digest',
  }),
};
const CONFIG = { strategy: MASKING, max_tokens: 4_000, max_messages: 0, reminders: false };
const dialect = openaiChat<WireMessage>();

function call(i: number, tag = 'one'): WireMessage[] {
  const made = {
    id: `c${i}`,
    type: 'function',
    function: { name: 'Read', arguments: `{"file_path":"${tag}${i}.ts"}` },
  };
  return [
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: `c${i}`, content: `${tag} ${i} has a line\n`.repeat(60) },
  ];
}

/** Says this much, and logs it as a process does: messages, folds, and how far the window was. */
async function say(
  window: ConversationWindow<WireMessage>,
  writer: SessionWriter,
  history: WireMessage[],
  messages: readonly WireMessage[],
): Promise<void> {
  history.push(...messages);
  await writer.append(messages.map((message) => ({ type: 'message', message })));
  const { receipt } = await window.fit(history);
  const { log, revisions, seen, calibration } = window.state();
  const fold = log.at(-1);
  const entries: SessionEntry[] = receipt && fold ? [{ type: 'fold', fold, receipt, revisions }] : [];
  const position = { seen, sent: seen, calibration, historyTokens: 0 };
  await writer.append([...entries, { type: 'usage', tokens: { input: 1, output: 1 }, window: position }]);
}

async function stateOf(store: SessionStore, id: string, scope: string) {
  const info = await store.info(id);
  if (!info) throw new Error('no session');
  return (await restoreConversation(store, info, dialect, { scope })).window;
}

async function windowOn(store: SessionStore, id: string, scope: string) {
  const writer = await sessionWriter(store, id);
  const archive = sessionArchive<WireMessage>(store, writer, dialect);
  const state = await stateOf(store, id, scope);
  return {
    writer,
    window: new ConversationWindow<WireMessage>(CONFIG, { dialect, archive, handles: { scope }, state }),
  };
}

async function started(scope = 'old') {
  const { store } = await newStore();
  const { id } = await store.create({ id: `root-${scope}` });
  await store.append(id, [{ type: 'model', provider: 'proxy', model: 'm', dialect: 'openai-chat', from: 0 }], 0);
  const { writer, window } = await windowOn(store, id, scope);
  const history: WireMessage[] = [];
  await say(window, writer, history, [{ role: 'user', content: 'Read them all.' }]);
  for (let i = 0; i < 30; i++) await say(window, writer, history, call(i));
  return { store, id, writer, window, history };
}

/** What a log keeps of a state: not how much of the history the caller passes. */
const kept = ({ passedAgain: _, ...state }: WindowState) => state;

test('a reopened session has the same view, and its handles lead to the session’s messages', async () => {
  const { store, id, window, history } = await started();
  expect(await stateOf(store, id, 'old')).toEqual(kept(window.state()));
  const text = JSON.stringify(window.state().view);
  expect(/recall m\d+@old/.test(text)).toBe(true);
  const again = await windowOn(store, id, 'old');
  expect((await again.window.fit(history)).messages).toEqual((await window.fit(history)).messages);
  for (const [handle] of text.matchAll(/m\d+@old/g)) {
    const place = Number(/\d+/.exec(handle));
    expect((await again.window.recall(handle)).messages).toEqual([history[place]]);
    expect((await store.message(id, handle))?.message).toEqual(history[place]);
  }
  expect((await store.read(id, { types: ['handle'] })).items).toEqual([]);
  expect((await verifySession(store, id)).problems).toEqual([]);
  expect((await store.info(id))?.kind).toBe('proxy');
});

test('a rewound session has its earlier view, and new handles for what follows', async () => {
  const { store, id, writer, window, history } = await started();
  const before = window.state();
  const info = await store.info(id);
  const to = history.length;
  for (let i = 30; i < 50; i++) await say(window, writer, history, call(i));
  await writer.append([{ type: 'rewind', to, seq: info?.last ?? 0, folds: before.folds }]);
  expect((await stateOf(store, id, 'old')).view).toEqual(before.view);
  const next = await windowOn(store, id, 'old');
  const other = history.slice(0, to);
  for (let i = 30; i < 50; i++) await say(next.window, next.writer, other, call(i, 'two'));
  const state = next.window.state();
  expect(await stateOf(store, id, 'old')).toEqual(kept(state));
  expect(state.revisions).toEqual([
    [0, 0, 'old'],
    [to, 1, 'old'],
  ]);
  expect(/recall m\d+~1@old/.test(JSON.stringify(state.view))).toBe(true);
  expect((await next.window.recall(`m${to + 1}~1@old`)).messages).toEqual([other[to + 1]]);
  expect((await next.window.recall(`m${to + 1}@old`)).messages).toEqual([history[to + 1]]);
  expect((await verifySession(store, id)).problems).toEqual([]);
});

test('a fork keeps the handles of the copied messages and gives its own scope to new ones', async () => {
  const { store, id, writer, window, history } = await started();
  const seq = writer.last;
  const from = history.length;
  const { view } = window.state();
  for (let i = 30; i < 40; i++) await say(window, writer, history, call(i));
  const fork = await forkSession(store, id, { id: 'root-new', seq });
  const last = (await store.info(fork))?.last ?? 0;
  const model = { type: 'model', provider: 'proxy', model: 'm', dialect: 'openai-chat', from } as const;
  await store.append(fork, [model], last);
  expect((await stateOf(store, fork, 'new')).view).toEqual(view);
  const next = await windowOn(store, fork, 'new');
  const other = history.slice(0, from);
  for (let i = 30; i < 36; i++) await say(next.window, next.writer, other, call(i, 'two'));
  // Another model later on changes nothing.
  await next.writer.append([{ ...model, model: 'n', from: other.length }]);
  for (let i = 36; i < 42; i++) await say(next.window, next.writer, other, call(i, 'two'));
  const state = next.window.state();
  expect(state.revisions).toEqual([
    [0, 0, 'old'],
    [from, 0, 'new'],
  ]);
  const reopened = await stateOf(store, fork, 'new');
  expect(reopened).toEqual(kept(state));
  const text = JSON.stringify(state.view);
  for (const [, at, scope] of text.matchAll(/\bm(\d+)@(\w+)/g)) expect(scope).toBe(Number(at) < from ? 'old' : 'new');
  expect(/recall m\d+@old.*recall m\d+@new/s.test(text)).toBe(true);
  expect((await next.window.recall(`m${from + 1}@new`)).messages).toEqual([other[from + 1]]);
  expect((await verifySession(store, fork)).problems).toEqual([]);
  // Without folds, all handles are the fork's own.
  await next.writer.append([{ type: 'rewind', to: 5 }]);
  expect((await stateOf(store, fork, 'new')).revisions).toEqual([
    [0, 0, 'new'],
    [5, 1, 'new'],
  ]);
});
