import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { type SessionStore, sqlite, verifySession, type WireMessage } from '../src/index.ts';
import type { ConversationKind } from '../src/store.ts';
import { BUDGET, client, digest, handlesIn, incoming, open, problemsOf, recall } from './client.ts';
import { newStore } from './new-store.ts';

const CLIENTS = 4;

/** What a client may do next; numbers choose among clients and places. */
const ACTION = fc.record({
  who: fc.nat(CLIENTS - 1),
  does: fc.constantFrom('step', 'step', 'step', 'step', 'step', 'step', 'retry', 'cut', 'branch', 'edit', 'restart'),
  where: fc.nat(1_000),
});
type Action = { readonly who: number; readonly does: string; readonly where: number };

test.each([
  ['of the proxy', 'proxy'],
  ['in a framework', 'integration'],
] as const)(
  'whatever clients %s do concurrently, views are valid and bounded, and every handle works',
  async (_, kind) => {
    await fc.assert(
      fc.asyncProperty(fc.array(ACTION, { minLength: 60, maxLength: 120 }), async (actions) => {
        const { store, path } = await newStore();
        const later = await sqlite(path);
        await play(actions, [store, later], kind);
        await later.close();
      }),
      { numRuns: SOAK ? 1_000 : 3, seed: 20261116, endOnFailure: true },
    );
  },
);

async function play(
  actions: readonly Action[],
  stores: readonly SessionStore[],
  kind: ConversationKind,
): Promise<void> {
  const [store] = stores as [SessionStore];
  const clients = Array.from({ length: CLIENTS }, (_, n) => client(`c${n}`));
  const processes = stores.map((one) => open(one, kind));
  const promised = new Map<string, WireMessage | undefined>();
  let names = CLIENTS;
  for (const { who, does, where } of actions) {
    const one = clients[who] as ReturnType<typeof client>;
    const { history } = one;
    const process = where % stores.length;
    if (does === 'restart') processes[process] = open(stores[process] as SessionStore, kind);
    if (does === 'branch') {
      // From here on, this client goes the way of another one, up to some point.
      const other = clients[where % CLIENTS]?.history ?? history;
      const end = other.length < 3 ? 1 : 1 + 2 * (where % ((other.length - 1) / 2));
      clients[who] = client(`c${names++}`, structuredClone(other.slice(0, end)) as WireMessage[]);
      continue;
    }
    if (does === 'edit') history[where % history.length] = edited(history[where % history.length] as WireMessage);
    if (does === 'step') for (let i = 0; i <= where % 3; i++) one.step();
    const sent = does === 'cut' ? [...history, { role: 'user', content: `[cut ${where}]` }] : history;
    const fitted = await processes[process]?.fit(incoming(sent));
    if (!fitted) throw new Error('no process');
    const { messages, metrics, problem } = fitted;
    expect(problem?.message).toBeUndefined();
    expect(problemsOf(messages)).toEqual([]);
    expect(metrics?.estimatedTokens ?? 0).toBeLessThanOrEqual(BUDGET);
    for (const [handle, place] of handlesIn(messages)) {
      if (!promised.has(handle)) promised.set(handle, structuredClone(sent[place]));
    }
    const again = await processes[process]?.fit(incoming(sent));
    expect(digest(again?.messages ?? [])).toEqual(digest(messages));
  }
  for (const { id } of await store.list()) expect((await verifySession(store, id)).problems).toEqual([]);
  // A branch has handles of its own in frameworks, also of folded results that its client edited before: nobody noticed that.
  const plain = kind === 'proxy' ? (message: unknown) => message : unedited;
  for (const [handle, message] of promised)
    expect([handle, plain(await recall(store, handle))]).toEqual([handle, plain(message)]);
}

/** The message with other words, of the same length or not. */
function edited(message: WireMessage): WireMessage {
  return JSON.parse(JSON.stringify(message).replaceAll('value', 'other')) as WireMessage;
}

function unedited(message: unknown): unknown {
  return JSON.stringify(message)?.replaceAll('other', 'value');
}
