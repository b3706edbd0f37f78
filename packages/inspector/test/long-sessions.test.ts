import { type SessionStore, type StoredEntry, sqlite } from '@holdfast/sessions';
import { expect, onTestFinished, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import type { CallList, MessagePage, SessionDetail, View } from '../src/api/types.ts';
import { get, newInspector } from './ask.ts';
import { writeLongChat } from './long-chat.ts';

/** Counts the entries and messages that a store gives out. */
function counting(store: SessionStore) {
  const counts = { entries: 0, messages: 0 };
  const counted = <T extends { readonly items: readonly unknown[] }>(page: T, what: keyof typeof counts): T => {
    counts[what] += page.items.length;
    return page;
  };
  const watched: SessionStore = {
    ...store,
    read: async (...args) => counted<{ items: readonly StoredEntry[] }>(await store.read(...args), 'entries'),
    history: async (...args) => counted(await store.history(...args), 'messages'),
  };
  return { counts, watched };
}

async function memoryStore(): Promise<SessionStore> {
  const store = await sqlite(':memory:');
  onTestFinished(() => store.close());
  return store;
}

/** What a browser asks for to show a session, and while it scrolls. */
async function show(inspector: Parameters<typeof get>[0], id: string, from: number): Promise<void> {
  await get<SessionDetail>(inspector, `sessions/${id}`);
  await get<View>(inspector, `sessions/${id}/view`);
  await get<MessagePage>(inspector, `sessions/${id}/messages?from=${from}`);
}

test('a session of 10,000 messages and 200 folds is shown as fast as one of 100, and read once', async () => {
  const store = await memoryStore();
  const short = await writeLongChat(store, 100);
  const long = await writeLongChat(store, 10_000);
  const { counts, watched } = counting(store);
  const inspector = newInspector({ store: watched });
  const { calls, folds } = await get<CallList>(inspector, `sessions/${long}/calls`);
  expect(calls).toHaveLength(5_000);
  expect(folds.length).toBeGreaterThan(150);
  // The index has no message, and each entry once.
  expect(counts.messages).toBe(0);
  expect(counts.entries).toBeLessThanOrEqual(5_001 + folds.length);
  const before = { ...counts };
  await show(inspector, long, 5_000);
  // A page, the one before it, and the view.
  expect(counts.messages - before.messages).toBeLessThan(200);
  expect(counts.entries - before.entries).toBeLessThan(100);
  await get<CallList>(inspector, `sessions/${short}/calls`);
  let at = 0;
  const scroll = async (id: string, messages: number) => {
    for (let i = 0; i < 20; i++, at += 37) await show(inspector, id, at % (messages - 50));
  };
  const ratio = await timeRatio(
    () => scroll(long, 10_000),
    () => scroll(short, 100),
    { enough: 2 },
  );
  expect(ratio).toBeLessThan(2);
  // What is new is all that is read, and whether the newest requests were answered, however long the session is.
  const grown = { ...counts };
  const { last = 0 } = (await store.info(long)) ?? {};
  await store.append(long, [{ type: 'message', message: { role: 'user', content: 'one more' } }], last);
  expect(await get<SessionDetail>(inspector, `sessions/${long}`)).toMatchObject({ messages: 10_001, calls: 5_000 });
  expect(counts.entries - grown.entries).toBeLessThanOrEqual(20);
});
