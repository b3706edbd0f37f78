import { expect, test } from 'vitest';
import { type SessionStore, sqlite, verifySession, type WireMessage } from '../src/index.ts';
import { BUDGET, client, digest, handlesIn, incoming, open, problemsOf, recall } from './client.ts';
import { newStore } from './new-store.ts';

test('a history within the budget comes back unchanged, and nothing is stored', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  for (let i = 0; i < 4; i++) {
    const sent = incoming(step());
    const { messages, isWhole } = await conversations.fit(sent);
    expect(isWhole).toBe(true);
    expect(messages.every((message, at) => message === sent.messages[at])).toBe(true);
  }
  expect(history.length).toBe(9);
  expect(await store.list()).toEqual([]);
});

test('a growing history is folded, stays valid, and another process continues with the same bytes', async () => {
  const { store, path } = await newStore();
  const conversations = open(store);
  const { step } = client();
  let folds = 0;
  for (let i = 0; i < 60; i++) {
    const history = step();
    const fitted = await conversations.fit(incoming(history));
    expect(fitted.problem).toBeUndefined();
    expect(problemsOf(fitted.messages)).toEqual([]);
    expect(fitted.metrics?.estimatedTokens).toBeLessThanOrEqual(BUDGET);
    if (fitted.receipt) folds++;
    const later = await sqlite(path);
    const again = await open(later).fit(incoming(history));
    if (folds > 0) expect(digest(again.messages)).toEqual(digest(fitted.messages));
    await later.close();
    const tokens = Math.round((fitted.metrics?.estimatedTokens ?? 0) * 0.9);
    if (i % 2 === 0) await fitted.answered({ input_tokens: tokens }, { input: tokens, output: 10 }, 0.01);
  }
  expect(folds).toBeGreaterThan(2);
  expect((await store.list()).length).toBe(1);
});

test('a request takes work for what is new in it, however long the conversation is', async () => {
  const readsOf = async (steps: number) => {
    const conversations = open((await newStore()).store);
    const { step, history } = client();
    let reads = 0;
    const { dialect } = incoming(history);
    const counting = {
      ...dialect,
      read: (message: WireMessage) => {
        reads++;
        return dialect.read(message);
      },
    };
    const fit = async (max_tokens: number) => {
      // The proxy, too, has the same objects for what it has seen.
      const bounds = { max_tokens, limit: 10_000_000, reserve: 500 };
      reads = 0;
      await conversations.fit({ ...incoming([]), dialect: counting, messages: step(), bounds });
      return reads;
    };
    for (let i = 0; i < steps; i++) await fit(BUDGET);
    // Without a fold.
    return Math.max(await fit(1_000_000), await fit(1_000_000));
  };
  const [few, many] = [await readsOf(20), await readsOf(200)];
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThanOrEqual(few);
});

test('every handle of every view leads to the original, byte for byte', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { step } = client();
  let checked = 0;
  for (let i = 0; i < 40; i++) {
    const history = step();
    const { messages } = await conversations.fit(incoming(history));
    for (const [handle, place] of handlesIn(messages)) {
      expect(await recall(store, handle)).toEqual(history[place]);
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(50);
});

test('so does every handle after an edit before the first fold that only the window notices', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  let checked = 0;
  for (let i = 0; i < 20; i++) {
    step();
    if (i === 4) history[2] = JSON.parse(JSON.stringify(history[2]).replaceAll('value', 'other')) as WireMessage;
    const { messages } = await conversations.fit(incoming(history));
    for (const [handle, place] of handlesIn(messages)) {
      expect([handle, await recall(store, handle)]).toEqual([handle, history[place]]);
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(5);
});

test('the same history again gets the same view, and writes nothing', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { step } = client();
  for (let i = 0; i < 30; i++) {
    const history = step();
    const first = await conversations.fit(incoming(history));
    const before = await store.list();
    const second = await conversations.fit(incoming(history));
    expect(digest(second.messages)).toEqual(digest(first.messages));
    expect(await store.list()).toEqual(before);
  }
});

test('a last message that changes later leaves a view that is already cached', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  let folds = 0;
  let last: string[] = [];
  for (let i = 0; i < 40; i++) {
    step();
    const cut = [...history, { role: 'user', content: `[interrupted ${i}]` }];
    const first = await conversations.fit(incoming(cut));
    const second = await conversations.fit(incoming(history));
    expect(problemsOf(second.messages)).toEqual([]);
    if (second.receipt) folds++;
    const sent = digest(second.messages);
    const isCached = (view: readonly string[]) => view.every((line, at) => line === sent[at]);
    if (!second.receipt) expect([digest(first.messages.slice(0, -1)), last].some(isCached)).toBe(true);
    last = sent;
  }
  expect(folds).toBeLessThanOrEqual(await foldsOf(40));
  expect((await store.list()).length).toBe(1);
});

test('what follows the first fold is stored, even if the client takes back the message that led to it', async () => {
  const { store, path } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  const isFolded = async () => {
    const cut = [...history, { role: 'user', content: '[cut]' }];
    return (await conversations.fit(incoming(cut))).receipt !== undefined;
  };
  do await conversations.fit(incoming(step()));
  while (!(await isFolded()));
  let folds = 0;
  for (let i = 0; i < 20; i++) {
    const { receipt, messages } = await conversations.fit(incoming(step()));
    if (receipt) folds++;
    const later = await sqlite(path);
    const again = await open(later).fit(incoming(history));
    await later.close();
    expect(again.problem).toBeUndefined();
    if (folds > 0) expect(digest(again.messages)).toEqual(digest(messages));
  }
  expect(folds).toBeGreaterThan(1);
  for (const { id } of await store.list()) expect((await verifySession(store, id)).problems).toEqual([]);
});

test('the log has what every answer used, also those before the first fold and those to a message taken back', async () => {
  const { store, path } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  let answers = 0;
  const send = async (messages: readonly WireMessage[]) => {
    const fitted = await conversations.fit(incoming(messages));
    await fitted.answered({ input_tokens: 1_000 + answers++ }, { input: 1_000, output: 1 }, 0.01);
    return fitted;
  };
  let first: number | undefined;
  for (let i = 0; i < 20; i++) {
    await send(step());
    const { messages } = await send([...history, { role: 'user', content: `Is it ${i}?` }]);
    const [stored] = await store.list();
    if (stored) expect([stored.tokens, stored.cost]).toEqual([1_001 * answers, expect.closeTo(0.01 * answers, 10)]);
    if (stored) first ??= i;
    const later = await sqlite(path);
    const again = await open(later).fit(incoming([...history, { role: 'user', content: `Is it ${i}?` }]));
    await later.close();
    if (stored) expect(digest(again.messages)).toEqual(digest(messages));
  }
  expect(first).toBeGreaterThan(2);
  const [stored] = await store.list();
  let seen = 0;
  for (const { entry } of (await store.read(stored?.id ?? '')).items) {
    if (entry.type === 'message') seen++;
    if (entry.type === 'fold') break;
    if (entry.type === 'usage') expect(entry.window?.seen).toBe(seen);
  }
  expect((await verifySession(store, stored?.id ?? '')).problems).toEqual([]);
});

test('clients that say the same, each at its own pace, are distinguished by their names', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const clients = [client(), client()].map((one, n) => ({
    ...one,
    hint: `session ${n}`,
    folds: 0,
    last: [] as string[],
  }));
  for (let i = 0; i < 60; i++) {
    for (const [n, one] of clients.entries()) {
      // By turns, each is some steps ahead of the other.
      const isWaiting = Math.floor(i / 3) % 2 === n;
      if (isWaiting) continue;
      const { hint } = one;
      const { receipt, messages } = await conversations.fit(incoming(one.step(), { hint }));
      const sent = digest(messages);
      if (receipt) one.folds++;
      else expect(sent.slice(0, one.last.length)).toEqual(one.last);
      one.last = sent;
    }
  }
  const alone = await foldsOf(30);
  expect(clients.map(({ folds }) => folds)).toEqual([alone, alone]);
});

test('clients that say the same at the same pace, but do not send the same, keep their own windows', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const clients = [0, 1].map((n) => ({ ...client(), n, folds: 0, last: [] as string[] }));
  for (let i = 0; i < 40; i++) {
    for (const one of clients) {
      one.step();
      // Neither its words nor its ids tell: it is in the rest of a message, as the ids that Codex gives to its own.
      const history = [{ ...one.history[0], name: `client-${one.n}` } as WireMessage, ...one.history.slice(1)];
      const { receipt, messages, problem } = await conversations.fit(incoming(history, { hint: `session ${one.n}` }));
      expect(problem).toBeUndefined();
      const sent = digest(messages);
      if (receipt) one.folds++;
      else expect(sent.slice(0, one.last.length)).toEqual(one.last);
      expect(mentions(messages, `client-${1 - one.n}`)).toBe(false);
      one.last = sent;
    }
  }
  expect(clients.map(({ folds }) => folds)).toEqual([await foldsOf(40), await foldsOf(40)]);
  expect((await store.list()).length).toBe(2);
});

test('agents that start alike, and go different ways, keep their own windows', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const [a, b, c] = [client('a'), client('b'), client('c')];
  const common = client('common');
  for (let i = 0; i < 3; i++) common.step();
  for (const one of [a, b, c]) one.history.splice(0, one.history.length, ...common.history);
  const folds = [0, 0, 0];
  for (let i = 0; i < 40; i++) {
    for (const [n, one] of [a, b, c].entries()) {
      if ((i + n) % (n + 1) !== 0) continue;
      const fitted = await conversations.fit(incoming(one.step()));
      if (fitted.receipt) folds[n] = (folds[n] ?? 0) + 1;
      const others = ['a', 'b', 'c'].filter((_, at) => at !== n);
      for (const other of others) expect(mentions(fitted.messages, `toolu_${other}_`)).toBe(false);
    }
  }
  expect(folds).toEqual([await foldsOf(43), await foldsOf(23), await foldsOf(16)]);
});

test('a client that goes back before a fold forks: both branches continue, and old handles stay valid', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client('a');
  let last = await conversations.fit(incoming(step()));
  const printed = new Map<string, unknown>();
  const note = (messages: readonly WireMessage[], from: readonly WireMessage[]) => {
    for (const [handle, place] of handlesIn(messages)) {
      if (!printed.has(handle)) printed.set(handle, structuredClone(from[place]));
      expect(printed.get(handle), handle).toEqual(from[place]);
    }
  };
  for (let i = 0; i < 40; i++) {
    last = await conversations.fit(incoming(step()));
    note(last.messages, history);
  }
  const branch = client('b');
  branch.history.splice(0, 1, ...history.slice(0, 61));
  for (let i = 0; i < 30; i++) {
    const there = await conversations.fit(incoming(branch.step()));
    expect(problemsOf(there.messages)).toEqual([]);
    note(there.messages, branch.history);
    const here = await conversations.fit(incoming(step()));
    expect(mentions(here.messages, 'toolu_b_')).toBe(false);
    note(here.messages, history);
  }
  expect((await store.list()).length).toBe(2);
  for (const [handle, message] of printed) expect(await recall(store, handle)).toEqual(message);
});

test('a request continues the branch that it shares most with, not an abandoned one', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  let last = await conversations.fit(incoming(step()));
  while (!last.receipt || history.length < 40) last = await conversations.fit(incoming(step()));
  last = await conversations.fit(incoming(step()));
  // From before the last fold, somebody goes another way.
  await conversations.fit(incoming(history.slice(0, -6)));
  const { content } = history.at(-1) as { readonly content: readonly object[] };
  const edited = { role: 'user', content: [...content, { type: 'text', text: 'Stop here.' }] };
  const { receipt, messages } = await conversations.fit(incoming([...history.slice(0, -1), edited]));
  expect(receipt).toBeUndefined();
  expect(digest(messages).slice(0, -1)).toEqual(digest(last.messages).slice(0, -1));
});

test('two processes on one store take turns with one conversation', async () => {
  const { store, path } = await newStore();
  const second = await sqlite(path);
  const [one, two] = [open(store), open(second)];
  const { step } = client();
  let folds = 0;
  for (let i = 0; i < 40; i++) {
    const fitted = await (i % 2 === 0 ? one : two).fit(incoming(step()));
    expect(fitted.problem).toBeUndefined();
    if (fitted.receipt) folds++;
  }
  expect(folds).toBe(await foldsOf(40));
  expect((await store.list()).length).toBe(1);
  await second.close();
});

test('an invalid history is sent as the last view plus what is new, one that is too large unchanged', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  let last = await conversations.fit(incoming(step()));
  for (let i = 0; i < 30; i++) last = await conversations.fit(incoming(step()));
  const orphan = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'nobody', content: 'x' }] };
  const invalid = await conversations.fit(incoming([...history, orphan]));
  expect(invalid.problem?.code).toBe('INVALID_HISTORY');
  expect(digest(invalid.messages)).toEqual(digest([...last.messages, orphan]));
  const huge = incoming([
    ...history,
    { role: 'assistant', content: 'Go on?' },
    { role: 'user', content: 'x'.repeat(90_000) },
  ]);
  const over = await conversations.fit(huge);
  expect(over.problem?.code).toBe('OVER_BUDGET');
  expect(over.isWhole).toBe(true);
  expect((await conversations.fit(incoming(step()))).problem).toBeUndefined();
});

test('what requests without an answer used belongs to the conversation that continues them, each to its own', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  // The first has a twin whose model says something else, another client says the same, and one is never continued.
  const agents = (['one', undefined, undefined, 'two', 'three'] as const).map((hint, at) => ({
    ...client(`agent${at}`),
    ...{ more: hint === undefined ? {} : { hint }, sent: 0, ids: new Set<string | undefined>() },
  }));
  const send = async (agent: (typeof agents)[number]) => {
    const fitted = await conversations.fit(incoming(agent.history, agent.more));
    if (agent.history.length === 1) expect([fitted.isWhole, fitted.messages]).toEqual([true, agent.history]);
    agent.ids.add(fitted.conversation);
    await fitted.answered({ input_tokens: 10 }, { input: 10, output: 1 }, 0.01);
    agent.sent++;
  };
  for (let i = 0; i < 20; i++)
    for (const agent of agents) {
      // Those without a name begin one after the other.
      if (i === 0 && agent.name === 'agent2') continue;
      await send(agent);
      if (agent.name === 'agent4') agents.splice(4, 1);
      agent.step();
      if (i === 0 && agent.name === 'agent1') await send(agent);
    }
  for (const { ids, sent } of agents) {
    expect(ids.size).toBe(1);
    const [info] = await store.list({ suffix: `-${[...ids][0]}` });
    expect([info?.tokens, info?.cost]).toEqual([11 * sent, expect.closeTo(0.01 * sent, 10)]);
    expect((await verifySession(store, info?.id ?? '')).problems).toEqual([]);
  }
  expect((await store.list()).length).toBe(4);
});

test('an answer that comes after the next request is recorded, too, and one that began a conversation late', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  const used = [{ input_tokens: 10 }, { input: 10, output: 1 }, 0.01] as const;
  let late = await conversations.fit(incoming(history));
  for (let i = 0; i < 20; i++) {
    const fitted = await conversations.fit(incoming(step()));
    await late.answered(...used);
    late = fitted;
  }
  await late.answered(...used);
  const [info] = await store.list();
  expect([info?.tokens, info?.folds]).toEqual([11 * 21, expect.any(Number)]);
  expect((await verifySession(store, info?.id ?? '')).problems).toEqual([]);
});

test('callers never share a conversation', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { step } = client();
  for (let i = 0; i < 20; i++) {
    const history = step();
    const [a, b] = await Promise.all([
      conversations.fit(incoming(history, { owner: 'anthropic|one|claude' })),
      conversations.fit(incoming(history, { owner: 'anthropic|two|claude' })),
    ]);
    expect(a.conversation).not.toBe(b.conversation);
  }
  expect((await store.list()).length).toBe(2);
});

function mentions(messages: readonly WireMessage[], text: string): boolean {
  return JSON.stringify(messages).includes(text);
}

/** How many folds one agent alone takes for this many steps. */
async function foldsOf(steps: number): Promise<number> {
  const { store } = await newStore();
  const conversations = open(store);
  const { step } = client();
  let folds = 0;
  for (let i = 0; i < steps; i++) if ((await conversations.fit(incoming(step()))).receipt) folds++;
  return folds;
}

test('histories with different keys never share a conversation, however similar; those with the same key do, across restarts', async () => {
  const { store, path } = await newStore();
  const conversations = open(store);
  const steps = 30;
  const [one, other] = [client(), client()];
  let last: readonly WireMessage[] = [];
  for (let i = 0; i < steps; i++) {
    last = (await conversations.fit(incoming(one.step(), { key: 'thread-1' }))).messages;
    await conversations.fit(incoming(other.step(), { key: 'thread-2' }));
  }
  expect((await store.list()).length).toBe(2);
  const later = await sqlite(path);
  const again = await open(later).fit(incoming(one.history, { key: 'thread-1' }));
  expect(digest(again.messages)).toEqual(digest(last));
  await later.close();
});

test('without handles, another process folds as the first would have', async () => {
  const [one, other] = [await newStore(), await newStore()];
  const whole = open(one.store);
  const { step } = client();
  let folds = 0;
  for (let i = 0; i < 40; i++) {
    const history = step();
    const fitted = await whole.fit(incoming(history, { recall: false }));
    const restarted = await open(other.store).fit(incoming(history, { recall: false }));
    expect(digest(restarted.messages)).toEqual(digest(fitted.messages));
    if (fitted.receipt) folds++;
  }
  expect(folds).toBeGreaterThan(2);
});

test('a recall tool that comes later reads what was folded before it', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const { history, step } = client();
  for (let i = 0; i < 20; i++) await conversations.fit(incoming(step(), { recall: false }));
  let folded: readonly WireMessage[] | undefined;
  for (let i = 0; i < 20 && !folded; i++) {
    const { messages, receipt } = await conversations.fit(incoming(step(), { recall: 'Call remember with {handle}.' }));
    if (receipt) folded = messages;
  }
  expect(JSON.stringify(folded)).not.toMatch(/\bm\d+(?:-m\d+)?(?![\w@.~-])/);
  for (const [handle, place] of handlesIn(folded ?? [])) expect(await recall(store, handle)).toEqual(history[place]);
});

test.each([
  ['the sentence of the request', 'Call remember with {handle}.'],
  ['no handle', false],
] as const)('notes have %s, also in a later process and in a fork', async (_, recall) => {
  const { store, path } = await newStore();
  const { step, history } = client();
  const checkFold = (messages: readonly WireMessage[]) => {
    const text = JSON.stringify(messages);
    if (recall === false) expect(text).not.toMatch(/\bm\d+(?:\.\d+)?(?:@|\b-m\d)/);
    else expect(text).toContain('Call remember with m');
  };
  const converse = async (to: SessionStore, next: typeof step) => {
    const conversations = open(to);
    let folds = 0;
    for (let i = 0; i < 30; i++) {
      const { messages, receipt } = await conversations.fit(incoming(next(), { recall }));
      if (receipt) checkFold(messages);
      if (receipt) folds++;
    }
    expect(folds).toBeGreaterThan(1);
  };
  await converse(store, step);
  const later = await sqlite(path);
  const branch = client('branch', structuredClone(history.slice(0, -10)));
  await converse(later, step);
  await converse(later, branch.step);
  await later.close();
});

test.each(['read', 'written'] as const)(
  'once the store cannot be %s, a folded conversation continues from its last view',
  async (first) => {
    const { store } = await newStore();
    let isFailing = false;
    let isDown = false;
    const refuse = () => Promise.reject(new Error('connection refused'));
    const reads: Pick<SessionStore, 'info' | 'list' | 'append'> = {
      info: (id) => (isDown ? refuse() : store.info(id)),
      list: (filter) => (isDown ? refuse() : store.list(filter)),
      append: (...given) => {
        isDown ||= isFailing;
        return isDown ? refuse() : store.append(...given);
      },
    };
    const conversations = open({ ...store, ...reads });
    const { step, history } = client();
    let last = await conversations.fit(incoming(step()));
    while (!last.receipt) last = await conversations.fit(incoming(step()));
    const seen = history.length;
    isFailing = true;
    isDown = first === 'read';
    for (let i = 0; i < 3; i++) {
      const { messages, problem } = await conversations.fit(incoming(step()));
      expect(problem?.message).toContain('connection refused');
      expect(digest(messages)).toEqual(digest([...last.messages, ...history.slice(seen)]));
    }
    isFailing = isDown = false;
    const { messages, problem } = await conversations.fit(incoming(step()));
    expect(problem).toBeUndefined();
    expect(digest(messages).slice(0, last.messages.length)).toEqual(digest(last.messages));
  },
);

test('another process notices a result that changed since the newest fold, and its handle leads to the new one', async () => {
  const { store, path } = await newStore();
  const { step, history } = client();
  const first = open(store);
  while (!(await first.fit(incoming(step()))).receipt);
  step();
  await first.fit(incoming(step()));
  const changed = history.length - 3;
  history[changed] = JSON.parse(JSON.stringify(history[changed]).replaceAll('value', 'other')) as WireMessage;
  const later = await sqlite(path);
  const second = open(later);
  const promised = new Map<string, WireMessage | undefined>();
  for (let i = 0; i < 12; i++) {
    const { messages } = await second.fit(incoming(history));
    for (const [handle, place] of handlesIn(messages)) promised.set(handle, history[place]);
    step();
  }
  expect([...promised.keys()].some((handle) => handle.split(/[@~.]/)[0] === `m${changed}`)).toBe(true);
  for (const [handle, message] of promised) expect([handle, await recall(later, handle)]).toEqual([handle, message]);
  await later.close();
});

test('in a branch of a branch, every handle leads to the message of the branch that it came from', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const first = client('a');
  while (!(await conversations.fit(incoming(first.step()))).receipt);
  const fork = first.history.length;
  for (let i = 0; i < 3; i++) await conversations.fit(incoming(first.step()));
  const second = client('b', first.history.slice(0, fork));
  for (let i = 0; i < 3; i++) await conversations.fit(incoming(second.step()));
  const third = client('c', second.history.slice(0, fork + 2));
  const places = new Set<number>();
  for (let i = 0; i < 15; i++) {
    const { messages } = await conversations.fit(incoming(third.step()));
    for (const [handle, place] of handlesIn(messages)) {
      places.add(place);
      expect([handle, await recall(store, handle)]).toEqual([handle, third.history[place]]);
    }
  }
  expect(places).toContain(fork + 1);
});

test('a branch from before the place where its parent was rewound has handles that lead to its own messages', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const first = client('a');
  while (!(await conversations.fit(incoming(first.step()))).receipt);
  const fork = first.history.length;
  for (let i = 0; i < 2; i++) await conversations.fit(incoming(first.step()));
  // A message that the client takes back: the log is rewound.
  await conversations.fit(incoming([...first.history, { role: 'user', content: 'Wait.' }]));
  for (let i = 0; i < 2; i++) await conversations.fit(incoming(first.step()));
  const second = client('b', first.history.slice(0, first.history.length - 2));
  for (let i = 0; i < 2; i++) await conversations.fit(incoming(second.step()));
  // It shares as much with both others: what the second has of it was copied, too.
  const third = client('c', second.history.slice(0, fork));
  for (let i = 0; i < 2; i++) await open(store).fit(incoming(second.step()));
  const places = new Set<number>();
  for (let i = 0; i < 15; i++) {
    const { messages } = await conversations.fit(incoming(third.step()));
    for (const [handle, place] of handlesIn(messages)) {
      expect([handle, await recall(store, handle)]).toEqual([handle, third.history[place]]);
      places.add(place);
    }
  }
  expect(Math.max(...places)).toBeGreaterThan(fork + 8);
});

const thought = { type: 'thinking', thinking: 'Hm.', signature: 'bound' };
const asked = (question: string): WireMessage[] => [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: [thought, { type: 'text', text: 'Hi.' }] },
  { role: 'user', content: question },
];

test('a refused request is repeated without thinking, unaffected by requests in the meantime', async () => {
  const { store } = await newStore();
  const conversations = open(store);
  const first = await conversations.fit(incoming(asked('first')));
  const second = await conversations.fit(incoming(asked('second')));
  for (const [view, question] of [
    [first, 'first'],
    [second, 'second'],
  ] as const) {
    const again = await view.withoutThinking();
    expect(again?.at(-1)).toEqual({ role: 'user', content: question });
    expect(JSON.stringify(again)).not.toContain('thinking');
  }
  const next = await conversations.fit(incoming([...asked('second'), ...asked('third').slice(1)]));
  expect(JSON.stringify(next.messages).split('"thinking":').length - 1).toBe(1);
});

test('a request that was sent unchanged is repeated without thinking, too', async () => {
  const { store } = await newStore();
  const { problem, withoutThinking } = await open(store).fit(incoming(asked('x'.repeat(90_000))));
  expect(problem?.code).toBe('OVER_BUDGET');
  expect(JSON.stringify(await withoutThinking())).not.toContain('thinking');
});
