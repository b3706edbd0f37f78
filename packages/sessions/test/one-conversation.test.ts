import { expect, onTestFinished, test } from 'vitest';
import { openConversations, type SessionStore, sqlite, verifySession, type WireMessage } from '../src/index.ts';
import { BUDGET, client, digest } from './client.ts';
import { newStore } from './new-store.ts';

const open = (store: SessionStore) =>
  openConversations<WireMessage>({ store, dialect: 'anthropic', max_tokens: BUDGET, max_messages: 0 }).open('talk');

async function twoProcesses() {
  const { store, path } = await newStore();
  const beside = await sqlite(path);
  onTestFinished(() => beside.close());
  return { store, one: await open(store), two: await open(beside) };
}

test('where the log is the history, a second writer is refused until it has read what the first said', async () => {
  const { store, one, two } = await twoProcesses();
  await one.add([{ role: 'user', content: 'Fix the parser.' }]);
  await expect(two.add([{ role: 'user', content: 'Fix the lexer.' }])).rejects.toMatchObject({
    code: 'STORE_CONFLICT',
  });
  await expect(two.add([{ role: 'user', content: 'Fix the lexer.' }])).rejects.toMatchObject({
    code: 'STORE_CONFLICT',
  });
  await two.refresh();
  await two.add([
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Fix the lexer.' },
  ]);
  expect(digest((await two.view()).messages)).toHaveLength(3);
  expect((await store.info('talk'))?.messages).toBe(3);
});

test('where the sender keeps the history, two processes take turns on one log, edits included', async () => {
  const { store, one, two } = await twoProcesses();
  const { history, step } = client();
  for (let i = 0; i < 30; i++) {
    step();
    if (i === 20) history.splice(-4);
    const { messages } = await (i % 2 ? one : two).fit(history);
    expect(digest((await (i % 2 ? two : one).fit(history)).messages)).toEqual(digest(messages));
  }
  expect((await store.info('talk'))?.messages).toBe(history.length);
  const { folds, problems } = await verifySession(store, 'talk');
  expect([folds > 1, problems]).toEqual([true, []]);
});

test('nothing that is not stored is sent, and nothing is lost by a fold that could not be written', async () => {
  const { store } = await newStore();
  let isFull = false;
  const append: SessionStore['append'] = (session, entries, ...more) =>
    isFull && entries.some(({ type }) => type === 'fold' || type === 'title')
      ? Promise.reject(new Error('disk full'))
      : store.append(session, entries, ...more);
  const conversation = await open({ ...store, append });
  const { history, step } = client();
  await conversation.add(history);
  isFull = true;
  const steps = async () => {
    for (;;) {
      const before = history.length;
      await conversation.add(step().slice(before));
      await conversation.view();
    }
  };
  await expect(steps()).rejects.toThrow('disk full');
  await expect(conversation.add([{ role: 'user', content: 'And now?' }])).rejects.toThrow('disk full');
  isFull = false;
  await conversation.refresh();
  const { receipt } = await conversation.view();
  expect(receipt?.fold).toBe(1);
  const { messages } = await conversation.recall('m2');
  expect(messages).toEqual([history[2]]);
});

test('folds undone and redone, pins, forks and rewinds are there for the next process', async () => {
  const { store } = await newStore();
  const conversation = await open(store);
  const { history, step } = client();
  await conversation.add(history);
  await conversation.pin(0);
  let views: string[] = [];
  for (let folds = 0; folds < 2; ) {
    const before = history.length;
    await conversation.add(step().slice(before));
    const { messages, receipt } = await conversation.view();
    views = digest(messages);
    if (receipt) folds++;
  }
  await conversation.undo();
  const later = await open(store);
  expect([later.folds, later.pins]).toEqual([1, [0]]);
  await later.redo();
  expect(digest((await later.view()).messages)).toEqual(views);
  const fork = await later.fork();
  await later.rewind(5);
  expect([later.messages, (await open(store)).messages, fork.messages]).toEqual([5, 5, history.length]);
  const kept: WireMessage[] = [];
  for await (const message of fork.history()) kept.push(message);
  expect(kept).toEqual(history);
});
