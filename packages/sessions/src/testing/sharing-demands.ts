import { isHoldfastError } from 'holdfast';
import { eachEntry, type SessionStore } from '../store.ts';
import { verifySession } from '../verify/verify.ts';
import { expectSame, message, type StoreDemand, sessionOf } from './demand.ts';

/** Appends these one at a time, while others write too. */
async function write(store: SessionStore, id: string, texts: readonly string[]): Promise<void> {
  let after = 0;
  for (const text of texts) {
    for (let done = false; !done; ) {
      try {
        after = await store.append(id, [message(text)], after);
        done = true;
      } catch (error) {
        if (!isHoldfastError(error) || error.code !== 'STORE_CONFLICT') throw error;
        after = Number(error.details.last);
      }
    }
  }
}

/** Concurrent stores, and stores opened one after the other. */
export const SHARING_DEMANDS: readonly StoreDemand[] = [
  {
    name: 'concurrent writers share one order, and nothing is lost or duplicated',
    fix: 'Lock the session for the whole append.',
    async *check({ store, another }) {
      const { id } = await store.create();
      const stores = [store, await another(), await another()];
      const texts = stores.map((_, n) => Array.from({ length: 15 }, (_, i) => `writer ${n} entry ${i}`));
      await Promise.all(stores.map((one, n) => write(one, id, texts[n] ?? [])));
      const found: string[] = [];
      for await (const { entry } of eachEntry(store, id))
        if (entry.type === 'message') found.push(String(entry.message.content));
      yield* expectSame(['entries', found.length, 45]);
      for (const [n, list] of texts.entries())
        yield* expectSame([`writer ${n}`, found.filter((text) => text.startsWith(`writer ${n} `)), list]);
      yield* (await verifySession(store, id)).problems;
    },
  },
  {
    name: 'a snapshot, if supported, never changes and is read-only',
    fix: 'Read in one transaction that starts immediately; a store that wraps another must wrap its snapshots, too.',
    async *check({ store, another }) {
      if (!store.snapshot) return;
      const other = await another();
      const id = await sessionOf(store, [message('an early walrus'), message('a second one', 'assistant')]);
      const before = await store.read(id);
      const seen = await store.snapshot(async (moment) => {
        await other.append(id, [message('a late walrus')], 2);
        const refused = await moment.append(id, [message('never')], 2).then(
          () => false,
          () => true,
        );
        const { length } = (await moment.history(id)).items;
        return { refused, length, read: await moment.read(id), last: (await moment.info(id))?.last };
      });
      yield* expectSame(
        ['entries of the snapshot', seen.read, before],
        ['messages of the snapshot', seen.length, 2],
        ['last of the snapshot', seen.last, 2],
        ['a write to it is refused', seen.refused, true],
        ['entries of the store', (await store.info(id))?.last, 3],
      );
    },
  },
  {
    name: 'what one store wrote, others see, now and after reopening',
    fix: 'Keep nothing in memory that another process needs.',
    async *check({ store, another }) {
      const id = await sessionOf(store, [message('an early walrus')]);
      const other = await another();
      await other.append(id, [message('a late walrus', 'assistant')], 1);
      yield* expectSame(['info', (await store.info(id))?.last, 2], ['found', (await store.search('late')).length, 1]);
      await store.close();
      await other.close();
      const later = await another();
      yield* expectSame(
        ['later', (await later.read(id)).items.length, 2],
        ['title', (await later.info(id))?.title, 'an early walrus'],
        ['found later', (await later.search('walrus')).length, 2],
      );
    },
  },
];
