import { DatabaseSync } from 'node:sqlite';
import { ConversationWindow, openaiChat } from 'holdfast';
import { expect, test } from 'vitest';
import type { WireMessage } from '../src/entry.ts';
import { forkSession, type SessionStore, sessionArchive, sessionWriter, verifySession } from '../src/index.ts';
import { newStore, said } from './new-store.ts';

/** A session with some folds. */
async function folded(store: SessionStore): Promise<string> {
  const { id } = await store.create();
  const writer = await sessionWriter(store, id);
  const dialect = openaiChat<WireMessage>();
  await writer.append([{ type: 'model', provider: 'test', model: 'test', dialect: 'openai-chat' }]);
  const archive = sessionArchive<WireMessage>(store, writer, dialect);
  const window = new ConversationWindow<WireMessage>({ max_tokens: 500, max_messages: 0 }, { dialect, archive });
  const history: WireMessage[] = [];
  for (let i = 0; i < 40; i++) {
    const message = { role: i % 2 ? 'assistant' : 'user', content: `message ${i} ${'with words '.repeat(12)}` };
    history.push(message);
    await writer.append([{ type: 'message', message }]);
    const { receipt } = await window.fit(history);
    const fold = window.state().log.at(-1);
    if (receipt && fold) await writer.append([{ type: 'fold', fold, receipt }]);
  }
  return id;
}

test('a consistent session has no problems', async () => {
  const { store } = await newStore();
  const id = await folded(store);
  const verified = await verifySession(store, id);
  expect(verified).toMatchObject({ session: id, messages: 40, problems: [] });
  expect(verified.folds).toBeGreaterThan(2);
  expect(verified.handles).toBeGreaterThan(20);
});

test.each([
  [
    'a word in a message',
    `UPDATE entries SET body = replace(body, 'message 7 ', 'message 8 ') WHERE seq = 9`,
    /entry 9 .* changed/,
  ],
  ['a time', 'UPDATE entries SET time = time + 1 WHERE seq = 5', /entry 5 .* changed/],
  ['an entry taken out', 'DELETE FROM entries WHERE seq = 12', /entry 13 follows entry 11/],
  ['the last entries taken out', 'DELETE FROM entries WHERE seq > 30', /the list says last \d+, but the log says 30/],
  [
    'two entries exchanged',
    'UPDATE entries SET seq = CASE seq WHEN 3 THEN -4 WHEN 4 THEN -3 END WHERE seq IN (3, 4); UPDATE entries SET seq = -seq WHERE seq < 0',
    /entry 3 .* changed/,
  ],
  ['a hash', `UPDATE entries SET hash = 'abc' WHERE seq = 20`, /entry 20 .* changed/],
  ['a count', 'UPDATE sessions SET messages = 39', /the list says messages 39, but the log says 40/],
  ['a place', 'UPDATE entries SET place = 1000 WHERE seq = 4', /m2 leads nowhere/],
])('detects %s', async (_, sql, problem) => {
  const { store, path } = await newStore();
  const id = await folded(store);
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  db.close();
  expect((await verifySession(store, id)).problems.join('\n')).toMatch(problem);
});

test('detects a fold of other messages, and an undo without a fold', async () => {
  const { store } = await newStore();
  const id = await folded(store);
  const found = await store.read(id, { types: ['fold'] });
  const entry = found.items[0]?.entry;
  if (entry?.type !== 'fold') throw new Error('no fold');
  const { id: other } = await store.create();
  const messages = Array.from({ length: entry.fold.covered }, (_, i) => said(`another ${i}`));
  await store.append(other, [{ type: 'unfold' }, entry, ...messages, entry], 0);
  const { problems } = await verifySession(store, other);
  expect(problems[0]).toBe('entry 1 undoes a fold, but there is none');
  expect(problems[1]).toBe(`entry 2 folds ${entry.fold.covered} messages, but the history has 0`);
  expect(problems.join('\n')).toMatch(/folds up to message \d+, which was changed/);
});

test('detects a fold that does not produce the recorded view', async () => {
  const { store } = await newStore();
  const id = await folded(store);
  const { items } = await store.read(id, { types: ['fold'], reverse: true, limit: 1 });
  const entry = items[0]?.entry;
  if (entry?.type !== 'fold') throw new Error('no fold');
  const { last = 0 } = (await store.info(id)) ?? {};
  const fold = { ...entry.fold, prior: entry.fold.covered, kept: entry.fold.kept.slice(0, -1) };
  await store.append(id, [{ ...entry, fold }], last);
  const { after } = entry.receipt;
  const { problems } = await verifySession(store, id);
  expect(problems).toEqual([expect.stringContaining(`entry ${last + 1} left ${after.messages} messages in view`)]);
});

test('what a fork copied was spent once, in the session that it is from', async () => {
  const { store } = await newStore();
  const id = await folded(store);
  const usage = (cost: number) => ({ type: 'usage' as const, tokens: { input: 10, output: 5 }, cost });
  const append = async (session: string, cost: number) =>
    store.append(session, [usage(cost)], (await store.info(session))?.last ?? 0);
  await append(id, 0.25);
  const fork = await forkSession(store, id);
  const again = await forkSession(store, fork);
  await append(again, 0.5);
  const spent = (await store.list()).map(({ id: session, cost, tokens }) => [session, cost, tokens]);
  expect(new Set(spent)).toEqual(
    new Set([
      [id, 0.25, 15],
      [fork, 0, 0],
      [again, 0.5, 15],
    ]),
  );
  for (const one of [fork, again]) expect((await verifySession(store, one)).problems).toEqual([]);
});

test('a fork is independent, and an incomplete one is detected', async () => {
  const { store } = await newStore();
  const id = await folded(store);
  const fork = await forkSession(store, id, { seq: 25, title: 'A fork' });
  const again = await forkSession(store, fork);
  await store.delete(id);
  for (const one of [fork, again]) expect((await verifySession(store, one)).problems).toEqual([]);
  expect(await store.info(again)).toMatchObject({ last: 26, messages: (await store.info(fork))?.messages });
  expect((await store.read(fork, { limit: 1 })).items[0]?.entry).toEqual({
    type: 'fork',
    session: id,
    seq: 25,
    entries: 25,
  });
  const { id: cut } = await store.create();
  await store.append(cut, [{ type: 'fork', session: id, seq: 3, entries: 3 }, said('only one')], 0);
  expect((await verifySession(store, cut)).problems).toEqual([
    'it is a fork of 4 entries, but ends with 2: fork again',
  ]);
});
