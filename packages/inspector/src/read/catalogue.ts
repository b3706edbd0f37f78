import { setImmediate } from 'node:timers/promises';
import type { SessionInfo, SessionStore } from '@holdfast/sessions';

/** All sessions of a store in memory, for lists that the store cannot sort or filter by itself. */
export type Catalogue = ReturnType<typeof createCatalogue>;

/** Sessions to keep in memory, about 400 bytes each; older ones are found only by the store's own order. */
const MOST = 50_000;
const PAGE = 500;
const FIRST = 50;
/** A deleted session stays listed for so long. */
const WHOLE_MS = 60_000;
/** Lists asked for at once share one look at the store. */
const SHARED_MS = 500;

export function createCatalogue(store: Pick<SessionStore, 'list'>, now: () => number = Date.now) {
  let known = new Map<string, SessionInfo>();
  let sorted: readonly SessionInfo[] | undefined;
  let wholeAt = Number.NEGATIVE_INFINITY;
  let looked: { readonly at: number; readonly done: Promise<void> } | undefined;

  /** Reads the list until nothing is new. */
  const look = async (isWhole: boolean): Promise<void> => {
    const next = isWhole ? new Map<string, SessionInfo>() : known;
    let before: SessionInfo | undefined;
    for (let isNew = true; isNew && next.size < MOST; ) {
      // Mostly nothing is new: then a short page says so.
      const limit = isWhole || before ? PAGE : FIRST;
      const page: SessionInfo[] = await store.list({ limit, ...(before ? { before } : {}) });
      const isFresh = ({ id, last, created }: SessionInfo) => {
        const old = known.get(id);
        return old?.last !== last || old.created !== created;
      };
      const hasNews = page.some(isFresh);
      for (const info of page) next.set(info.id, info);
      if (isWhole || hasNews) sorted = undefined;
      before = page.at(-1);
      // The list is sorted by last use: after a page without changes there are no more.
      isNew = page.length === limit && (isWhole || hasNews);
      // A store in this process reads without a pause.
      await setImmediate();
    }
    if (isWhole) wholeAt = now();
    known = next;
  };
  const shared = (): Promise<void> => {
    if (looked && now() - looked.at < SHARED_MS) return looked.done;
    const waited = looked?.done.catch(() => {}) ?? Promise.resolve();
    const done = waited.then(() => look(now() - wholeAt > WHOLE_MS));
    looked = { at: now(), done };
    done.catch(() => {
      looked = undefined;
    });
    return done;
  };
  return {
    /** All sessions, the last used first; at most `MOST`. Reads what changed since the last call, and all of them now and then. */
    async all(): Promise<readonly SessionInfo[]> {
      await shared();
      sorted ??= [...known.values()].sort((a, b) => b.updated - a.updated || (a.id < b.id ? 1 : -1));
      return sorted;
    },
  };
}
