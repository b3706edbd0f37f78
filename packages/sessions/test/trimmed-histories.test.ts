import { expect, test } from 'vitest';
import type { WireMessage } from '../src/index.ts';
import { BUDGET, client, handlesIn, incoming, open, problemsOf, recall } from './client.ts';
import { newStore } from './new-store.ts';

const trims: [string, (history: readonly WireMessage[]) => WireMessage[]][] = [
  // From a request of the user on.
  ['its beginning', (history) => history.slice(-60)],
  ['what follows its first message', (history) => [...history.slice(0, 1), ...history.slice(-60)]],
];

test.each(
  trims.flatMap(([what, trim]) => [
    { what, trim, key: 'thread' },
    { what, trim, key: undefined },
  ]),
)('a history without $what stays bounded, and so does its store (key: $key)', async ({ trim, key }) => {
  const { store } = await newStore();
  const conversations = open(store, 'integration');
  const { history, step: work } = client();
  const step = () => {
    history.push({ role: 'user', content: `Now part ${history.length}.` });
    return work();
  };
  for (let i = 0; i < 40; i++) step();
  let folds = 0;
  for (let i = 0; i < 12; i++) {
    const trimmed = trim(step());
    const { messages, metrics, receipt } = await conversations.fit(incoming(trimmed, key ? { key } : {}));
    expect(problemsOf(messages)).toEqual([]);
    expect(metrics?.estimatedTokens).toBeLessThanOrEqual(BUDGET);
    if (receipt) folds++;
    for (const [handle, place] of handlesIn(messages)) expect(await recall(store, handle)).toEqual(trimmed[place]);
  }
  await conversations.close();
  // Each list is another history, and is folded again.
  expect(folds).toBe(12);
  expect(history.length).toBe(157);
  expect((await store.list()).length).toBe(2);
});

test('behind the proxy nothing is removed: every trimmed history keeps its log', async () => {
  const { store } = await newStore();
  const conversations = open(store, 'proxy');
  const { history, step } = client();
  for (let i = 0; i < 40; i++) step();
  for (let i = 0; i < 4; i++) await conversations.fit(incoming([...history.slice(0, 1), ...step().slice(-60)]));
  await conversations.close();
  expect((await store.list()).length).toBe(4);
});

test('a whole history that is in use next to trimmed ones of the same conversation keeps its log', async () => {
  const { store } = await newStore();
  const conversations = open(store, 'integration');
  const { step } = client();
  for (let i = 0; i < 40; i++) step();
  const whole = await conversations.fit(incoming(step()));
  for (let i = 0; i < 20; i++) {
    const history = step();
    const { conversation, metrics } = await conversations.fit(incoming(history));
    expect(conversation).toBe(whole.conversation);
    expect(metrics?.folds).toBeGreaterThan(0);
    await conversations.fit(incoming(history.slice(-40)));
  }
  await conversations.close();
  const sessions = await store.list();
  expect(sessions.some(({ id }) => id.endsWith(`-${whole.conversation}`))).toBe(true);
});

test('forks and conversations that end alike keep their logs', async () => {
  const { store } = await newStore();
  const conversations = open(store, 'integration');
  const { history, step } = client();
  for (let i = 0; i < 40; i++) step();
  await conversations.fit(incoming(history));
  const forks = [20, 30, 40].map((from) => client(`fork-${from}`, structuredClone(history.slice(0, from + 1))));
  for (const fork of forks) {
    for (let i = 0; i < 30; i++) fork.step();
    await conversations.fit(incoming(fork.history));
  }
  await conversations.close();
  expect((await store.list()).length).toBe(4);
});

test('of many short conversations that start alike, the least recently used are forgotten first', async () => {
  const { store } = await newStore();
  const conversations = open(store, 'integration');
  const said = (n: number): WireMessage[] => [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello! What is it?' },
    { role: 'user', content: `Question ${n}: what is ${n} times ${n}?` },
    { role: 'assistant', content: `It is ${n * n}.` },
    { role: 'user', content: 'Thank you.' },
  ];
  // What a window learned of its model shows that it is still there.
  const ask = async (n: number) => {
    const fitted = await conversations.fit(incoming(said(n)));
    await fitted.answered({ input_tokens: 2_000 }, { input: 2_000, output: 5 });
    return fitted.metrics?.estimated === false;
  };
  for (let n = 0; n < 700; n++) await ask(n);
  expect(await ask(0)).toBe(false);
  expect(await ask(699)).toBe(true);
  expect(await ask(400)).toBe(true);
  expect(await store.list()).toEqual([]);
});
