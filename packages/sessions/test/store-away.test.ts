import { expect, onTestFinished, test } from 'vitest';
import { type FittedHistory, type SessionStore, sqlite, verifySession, type WireMessage } from '../src/index.ts';
import { BUDGET, client, digest, handlesIn, incoming, open, problemsOf, recall } from './client.ts';
import { newStore } from './new-store.ts';

const refused = () => Promise.reject(new Error('connection refused'));

/** A store that can be away, and one beside it, as another process has it. */
async function unreliable() {
  const { store, path } = await newStore();
  const beside = await sqlite(path);
  onTestFinished(() => beside.close());
  const away = { reading: false, writing: false };
  const through: SessionStore = {
    ...store,
    ...Object.fromEntries(
      (['info', 'list', 'read', 'history', 'message'] as const).map((name) => [
        name,
        (...given: never[]) =>
          away.reading ? refused() : (store[name] as (...all: never[]) => Promise<never>)(...given),
      ]),
    ),
    ...Object.fromEntries(
      (['create', 'append', 'delete'] as const).map((name) => [
        name,
        (...given: never[]) =>
          away.writing ? refused() : (store[name] as (...all: never[]) => Promise<never>)(...given),
      ]),
    ),
  };
  return { store: through, beside, away };
}

function check({ messages, metrics, problem }: FittedHistory<WireMessage>, isAway: boolean) {
  expect(problemsOf(messages)).toEqual([]);
  expect(metrics?.estimatedTokens).toBeLessThanOrEqual(BUDGET);
  if (!isAway) expect(problem).toBeUndefined();
}

/** The one session there is, checked, with every handle of this view leading to its original. */
async function expectOneLog(store: SessionStore, messages: readonly WireMessage[], history: readonly WireMessage[]) {
  const [info, ...more] = await store.list();
  expect(more).toEqual([]);
  expect((await verifySession(store, info?.id ?? '')).problems).toEqual([]);
  for (const [handle, place] of handlesIn(messages)) expect(await recall(store, handle)).toEqual(history[place]);
  return info;
}

test.each(['reading', 'writing'] as const)(
  'without a store for %s the views stay valid and bounded, and name nothing that is not stored',
  async (what) => {
    const { store, away } = await unreliable();
    away[what] = true;
    const conversations = open(store);
    const { step } = client();
    let folds = 0;
    let last: string[] = [];
    for (let i = 0; i < 40; i++) {
      const fitted = await conversations.fit(incoming(step()));
      check(fitted, true);
      expect(handlesIn(fitted.messages)).toEqual([]);
      expect(JSON.stringify(fitted.messages)).not.toMatch(/\bm\d+(?:-m\d+)?@/);
      const sent = digest(fitted.messages);
      if (fitted.receipt) folds++;
      else expect(sent.slice(0, last.length)).toEqual(last);
      if (fitted.receipt) expect(fitted.problem?.message).toContain('connection refused');
      last = sent;
    }
    expect(folds).toBeGreaterThan(2);
  },
);

test.each([
  ['before its first fold', 2],
  ['after it', 20],
])('a store that was away from %s on gets everything when it is back', async (_, steps) => {
  const { store, beside, away } = await unreliable();
  const conversations = open(store);
  const { history, step } = client();
  for (let i = 0; i < steps; i++) check(await conversations.fit(incoming(step())), false);
  away.reading = away.writing = true;
  let folds = 0;
  let answers = 0;
  let last = await conversations.fit(incoming(step()));
  for (let i = 0; i < 20; i++) {
    last = await conversations.fit(incoming(step()));
    check(last, true);
    await last.answered({ input_tokens: 1_000 }, { input: 1_000, output: 1 }, 0.01);
    answers++;
    if (last.receipt) folds++;
  }
  expect(folds).toBeGreaterThan(1);
  away.reading = away.writing = false;
  const back = await conversations.fit(incoming(step()));
  check(back, false);
  if (!back.receipt) expect(digest(back.messages).slice(0, last.messages.length)).toEqual(digest(last.messages));
  const info = await expectOneLog(beside, back.messages, history);
  expect([info?.messages, info?.tokens, info?.folds]).toEqual([history.length, 1_001 * answers, back.metrics?.folds]);
  // Another process continues, and both name handles again.
  let handles = 0;
  for (let i = 0; i < 12; i++) {
    const { messages } = await (i % 2 ? conversations : open(beside)).fit(incoming(step()));
    handles += handlesIn(messages).length;
    await expectOneLog(beside, messages, history);
  }
  expect(handles).toBeGreaterThan(0);
});

test('what another process wrote while the store was away wins', async () => {
  const { store, beside, away } = await unreliable();
  const [one, two] = [open(store), open(beside)];
  const { history, step } = client();
  while (!(await one.fit(incoming(step()))).receipt);
  away.reading = away.writing = true;
  for (let i = 0; i < 6; i++) check(await one.fit(incoming(step())), true);
  let there = await two.fit(incoming(history));
  for (let i = 0; i < 6; i++) there = await two.fit(incoming(step()));
  away.reading = away.writing = false;
  const here = await one.fit(incoming(history));
  check(here, false);
  expect(digest(here.messages)).toEqual(digest(there.messages));
  await expectOneLog(beside, here.messages, history);
});

test('a process that begins while the store is away takes over what is stored when it is back', async () => {
  const { store, beside, away } = await unreliable();
  const { history, step } = client();
  const before = open(beside);
  for (let i = 0; i < 30; i++) await before.fit(incoming(step()));
  away.reading = away.writing = true;
  const conversations = open(store);
  for (let i = 0; i < 5; i++) check(await conversations.fit(incoming(step())), true);
  away.reading = away.writing = false;
  const back = await conversations.fit(incoming(step()));
  check(back, false);
  await expectOneLog(beside, back.messages, history);
  expect(digest((await open(beside).fit(incoming(history))).messages)).toEqual(digest(back.messages));
});

test('a history that changes while the store is away is changed in the log when it is back', async () => {
  const { store, beside, away } = await unreliable();
  const conversations = open(store);
  const { history, step } = client();
  for (let i = 0; i < 12; i++) await conversations.fit(incoming(step()));
  away.reading = away.writing = true;
  const cut = [...history, { role: 'user', content: 'Wait.' }];
  check(await conversations.fit(incoming(cut)), true);
  for (let i = 0; i < 8; i++) {
    step();
    if (i === 3) history.splice(-2);
    check(await conversations.fit(incoming(history)), true);
  }
  away.reading = away.writing = false;
  for (let i = 0; i < 8; i++) {
    const { messages, problem } = await conversations.fit(incoming(step()));
    expect(problem).toBeUndefined();
    expect(problemsOf(messages)).toEqual([]);
    await expectOneLog(beside, messages, history);
  }
});
