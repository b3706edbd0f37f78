import { type Dialect, hashMessage, type WindowState } from 'holdfast';
import { chainHash, NO_HASH, type StoredEntry } from '../entry.ts';
import { inconsistent, unreadable } from '../log/broken-entry.ts';
import { eachEntry, type SessionInfo, type SessionStore } from '../store.ts';

/** Entries to check before a session is resumed: all of most sessions, and quick for a long one. */
const ENTRIES = 2_000;

/** Throws BAD_STORE if the newest entries of a log were changed. `verifySession` checks everything. */
export async function checkTail(store: SessionStore, info: SessionInfo): Promise<void> {
  const { id, last, hash } = info;
  let next: StoredEntry | undefined;
  let count = 0;
  const check = (stored: StoredEntry | undefined) => {
    if (next === undefined && (stored?.seq ?? 0) !== last)
      throw inconsistent(id, `the list says ${last} entries, but the log ends with ${stored?.seq ?? 0}`);
    if (next === undefined && (stored?.hash ?? NO_HASH) !== hash)
      throw inconsistent(id, `its last entry (${last}) was changed`);
    if (next === undefined) return;
    if (next.seq !== (stored?.seq ?? 0) + 1)
      throw inconsistent(id, `entry ${next.seq} follows entry ${stored?.seq ?? 0}`);
    if (next.hash !== chainHash(stored?.hash ?? NO_HASH, next.seq, next.time, textOf(id, next)))
      throw inconsistent(id, `entry ${next.seq} (${next.entry.type}) or the one before it was changed`);
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

/** Throws BAD_STORE if the newest fold does not fit this history. */
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
    throw inconsistent(id, `its newest fold covers ${covered} messages, and the last of them was changed`);
}
