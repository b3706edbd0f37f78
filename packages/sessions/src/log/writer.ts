import { isHoldfastError, type WindowState } from 'holdfast';
import type { SessionEntry } from '../entry.ts';
import { renumberedRequest } from '../requests/request-form.ts';
import { eachEntry, type NewSession, type SessionStore } from '../store.ts';
import { unknownSession } from './head.ts';

/** Appends to a session, and knows the last entry it has seen. */
export interface SessionWriter {
  readonly id: string;
  /** The last sequence number that this writer has seen. */
  readonly last: number;
  /**
   * Adds entries after the last one seen, one append at a time; `entries` may be computed from its number. Throws STORE_CONFLICT
   * if others wrote meanwhile.
   */
  append(entries: readonly SessionEntry[] | ((last: number) => Promise<readonly SessionEntry[]>)): Promise<number>;
  /** Marks what others have written as seen. */
  seen(last: number): void;
}

/** A writer that has seen all entries, or those up to `last`. Throws UNKNOWN_SESSION. */
export async function sessionWriter(store: SessionStore, id: string, last?: number): Promise<SessionWriter> {
  const info = await store.info(id);
  if (!info) throw unknownSession(id);
  let known = last ?? info.last;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    id,
    get last() {
      return known;
    },
    append(entries) {
      const mine = turn.then(async () => {
        known = await store.append(id, typeof entries === 'function' ? await entries(known) : entries, known);
        return known;
      });
      turn = mine.catch(() => undefined);
      return mine;
    },
    seen(next) {
      known = next;
    },
  };
}

/** Appends even if others write at the same time: for entries whose position does not matter. */
export async function appendAnyway(store: SessionStore, id: string, entries: readonly SessionEntry[]): Promise<number> {
  for (;;) {
    const info = await store.info(id);
    if (!info) throw unknownSession(id);
    try {
      return await store.append(id, entries, info.last);
    } catch (error) {
      const { last } = isHoldfastError(error) && error.code === 'STORE_CONFLICT' ? error.details : {};
      if (typeof last !== 'number') throw error;
    }
  }
}

/** How a session is copied. */
interface ForkOptions extends NewSession {
  /** The last entry that is copied. */
  readonly seq?: number;
  /** Those of the window at that entry. */
  readonly revisions?: WindowState['revisions'];
  /** The scope that the handles of the copy have instead of these others. */
  readonly rescope?: { readonly from: readonly string[]; readonly to: string };
}

/**
 * Copies a session up to its entry `seq`, where its window had these `revisions`, into a new one, independent of the first. Returns
 * its id. An interrupted fork has fewer entries than its first one says, which `verifySession` reports.
 */
export async function forkSession(store: SessionStore, from: string, options: ForkOptions = {}): Promise<string> {
  const { seq: asked, revisions, rescope, ...session } = options;
  const info = await store.info(from);
  if (!info) throw unknownSession(from);
  const seq = Math.min(asked ?? info.last, info.last);
  let entries = 0;
  for await (const { seq: at, entry } of eachEntry(store, from)) {
    if (at > seq) break;
    if (entry.type !== 'fork') entries++;
  }
  const { id } = await store.create(session);
  const fork = { type: 'fork' as const, session: from, seq, entries, ...(revisions ? { revisions } : {}) };
  const copy = createCopier(store, id, await store.append(id, [fork], 0));
  const moved = new Map<number, number>();
  for await (const { seq: at, time, entry } of eachEntry(store, from)) {
    if (at > seq) break;
    if (entry.type === 'fork') continue;
    moved.set(at, await copy.add(rescoped(copied(entry, moved), rescope), time));
  }
  await copy.flush();
  return id;
}

/** The entry with other scopes in its handles. What was said stays as it was. */
function rescoped(entry: SessionEntry, rescope: ForkOptions['rescope']): SessionEntry {
  if (!rescope || entry.type === 'message') return entry;
  // Scopes are random, so that nothing else looks like one.
  const text = rescope.from.reduce((json, scope) => json.replaceAll(scope, rescope.to), JSON.stringify(entry));
  return JSON.parse(text);
}

/** The entry as the copy has it: numbers of entries are those of the copy, where number 1 is the fork itself. */
function copied(entry: SessionEntry, moved: ReadonlyMap<number, number>): SessionEntry {
  if (entry.type === 'handle' && 'seq' in entry) return { ...entry, seq: moved.get(entry.seq) ?? 0 };
  if (entry.type === 'request') return renumberedRequest(entry, (seq) => moved.get(seq) ?? 0);
  if (entry.type === 'usage')
    return {
      ...entry,
      copied: true,
      ...(entry.request === undefined ? {} : { request: moved.get(entry.request) ?? 0 }),
    };
  if (entry.type === 'rewind' && entry.seq !== undefined) return { ...entry, seq: moved.get(entry.seq) ?? 1 };
  return entry;
}

/** Characters per append, so that sessions of any size can be copied. */
const BATCH_CHARS = 4_000_000;

/** Appends copies of entries in batches, each written whole or not at all. */
export function createCopier(store: SessionStore, id: string, start = 0, most = BATCH_CHARS) {
  let last = start;
  let chars = 0;
  let entries: SessionEntry[] = [];
  let times: number[] = [];
  const flush = async () => {
    if (entries.length > 0) last = await store.append(id, entries, last, times);
    [entries, times, chars] = [[], [], 0];
    return last;
  };
  return {
    flush,
    /** Returns the entry's number in the copy. */
    async add(entry: SessionEntry, time: number): Promise<number> {
      const seq = last + entries.length + 1;
      entries.push(entry);
      times.push(time);
      chars += JSON.stringify(entry).length;
      if (chars > most) await flush();
      return seq;
    },
  };
}
