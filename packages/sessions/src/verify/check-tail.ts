import { type Dialect, hashMessage, type WindowState } from 'holdfast';
import { chainHash, NO_HASH, type StoredEntry } from '../entry.ts';
import { notAdding, unreadable } from '../log/broken-entry.ts';
import { eachEntry, type SessionInfo, type SessionStore } from '../store.ts';

/** Entries that are read again before a session goes on: all of most sessions, and no second of a long one. */
const ENTRIES = 2_000;

/** Throws BAD_STORE if the newest entries of a log are not what was written. `verifySession` looks at everything. */
export async function checkTail(store: SessionStore, info: SessionInfo): Promise<void> {
  const { id, last, hash } = info;
  let next: StoredEntry | undefined;
  let count = 0;
  const check = (stored: StoredEntry | undefined) => {
    if (next === undefined && (stored?.seq ?? 0) !== last)
      throw notAdding(id, `its list says ${last} entries, the log ends with ${stored?.seq ?? 0}`);
    if (next === undefined && (stored?.hash ?? NO_HASH) !== hash)
      throw notAdding(id, `its last entry (${last}) is another than was written`);
    if (next === undefined) return;
    if (next.seq !== (stored?.seq ?? 0) + 1) throw notAdding(id, `entry ${next.seq} follows entry ${stored?.seq ?? 0}`);
    if (next.hash !== chainHash(stored?.hash ?? NO_HASH, next.seq, next.time, textOf(id, next)))
      throw notAdding(id, `entry ${next.seq} (${next.entry.type}) or the one before it was changed`);
  };
  for await (const stored of eachEntry(store, id, { reverse: true })) {
    check(stored);
    next = stored;
    if (++count === ENTRIES) break;
  }
  if (count < ENTRIES) check(undefined);
}

function textOf(session: string, { seq, entry }: StoredEntry): string {
  try {
    return JSON.stringify(entry);
  } catch (error) {
    throw unreadable(session, `entry ${seq} (${entry.type})`, seq, error);
  }
}

/** Throws BAD_STORE if the newest fold is not one of this history. */
export async function checkEdge(
  store: SessionStore,
  { id }: SessionInfo,
  dialect: Dialect<unknown>,
  { log }: Pick<WindowState, 'log'>,
): Promise<void> {
  const { covered = 0, edge } = log.at(-1) ?? {};
  if (covered === 0) return;
  const found = await store.message(id, covered - 1);
  if (!found || hashMessage(dialect, found.message) !== edge)
    throw notAdding(id, `its newest fold covers ${covered} messages, and the last of them is another now`);
}
