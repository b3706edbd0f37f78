import { isHoldfastError } from 'holdfast';
import type { SessionEntry } from '../entry.ts';
import { renumberedFields } from '../requests/request-form.ts';
import { eachEntry, type NewSession, type SessionStore } from '../store.ts';
import { unknownSession } from './head.ts';

/** One process's pen on a session: it knows of the last entry that it has seen. */
export interface SessionWriter {
  readonly id: string;
  /** The last sequence number that this writer has seen. */
  readonly last: number;
  /**
   * Adds entries behind the last that was seen, one append after the other; `entries` may be made of the number of that last
   * one. Throws STORE_CONFLICT if others wrote meanwhile.
   */
  append(entries: readonly SessionEntry[] | ((last: number) => Promise<readonly SessionEntry[]>)): Promise<number>;
  /** From now on what others have written counts as seen. */
  seen(last: number): void;
}

/** A writer that has seen all that is there, or no more than `last`. Throws UNKNOWN_SESSION. */
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

/** Appends whatever others write meanwhile: for entries that are true wherever they stand. */
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

/**
 * A new session that begins as another one was at its entry `seq`, and stands by itself: the other may go. Gives its id.
 * A fork that was cut off has fewer entries than its first one says, and `verifySession` says so.
 */
export async function forkSession(
  store: SessionStore,
  from: string,
  options: NewSession & { readonly seq?: number } = {},
): Promise<string> {
  const { seq: asked, ...session } = options;
  const info = await store.info(from);
  if (!info) throw unknownSession(from);
  const seq = Math.min(asked ?? info.last, info.last);
  let entries = 0;
  for await (const { seq: at, entry } of eachEntry(store, from)) {
    if (at > seq) break;
    if (entry.type !== 'fork') entries++;
  }
  const { id } = await store.create(session);
  const copy = createCopier(store, id, await store.append(id, [{ type: 'fork', session: from, seq, entries }], 0));
  const moved = new Map<number, number>();
  for await (const { seq: at, time, entry } of eachEntry(store, from)) {
    if (at > seq) break;
    if (entry.type === 'fork') continue;
    moved.set(at, await copy.add(renumbered(entry, moved), time));
  }
  await copy.flush();
  return id;
}

/** An entry that names others, by the numbers that they have in the copy; what is behind none is behind the fork itself. */
function renumbered(entry: SessionEntry, moved: ReadonlyMap<number, number>): SessionEntry {
  if (entry.type === 'handle' && 'seq' in entry) return { ...entry, seq: moved.get(entry.seq) ?? 0 };
  if (entry.type === 'request') return { ...entry, body: renumberedFields(entry.body, (seq) => moved.get(seq) ?? 0) };
  if (entry.type === 'rewind' && entry.seq !== undefined) return { ...entry, seq: moved.get(entry.seq) ?? 1 };
  return entry;
}

/** Entries of one append, so that a session of any size passes through. */
const BATCH_CHARS = 4_000_000;

/** Appends copies of entries in batches; one of `chars` is written whole or not at all. */
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
    /** Gives the number that the entry has there. */
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
