import { isHoldfastError } from 'holdfast';
import { NO_HASH, type StoredEntry } from '../entry.ts';
import type { BrokenEntry } from '../log/broken-entry.ts';
import type { Page, ReadOptions, SessionInfo, SessionStore } from '../store.ts';

type Reader = Pick<SessionStore, 'read'>;
type OnBroken = (broken: BrokenEntry) => void;

/** The type of an entry that the disk cannot read. */
export const DAMAGED = '';
const SQLITE_CORRUPT = 11;

/** All entries in order; one by one where the disk is damaged. Calls `onBroken` with those that are lost. */
export async function* undamagedEntries(
  store: Reader,
  { id, last }: Pick<SessionInfo, 'id' | 'last'>,
  onBroken: OnBroken,
): AsyncGenerator<StoredEntry> {
  for (let from: number | undefined = 1; from !== undefined; ) {
    const start: number = from;
    const page = await tryRead(store, id, { from: start, onBroken });
    if (page) yield* page.items;
    else for (let seq = start; seq <= last; seq++) yield* await one(store, id, seq, onBroken);
    from = page?.next;
  }
}

/** A store also reads the next entry, which may be the damaged one; then try backwards. */
async function one(store: Reader, id: string, seq: number, onBroken: OnBroken): Promise<readonly StoredEntry[]> {
  for (const reverse of [false, true]) {
    const page = await tryRead(store, id, { from: seq, limit: 1, reverse, onBroken });
    if (page) return page.items.filter((stored) => stored.seq === seq);
  }
  onBroken({ seq, time: 0, hash: NO_HASH, type: DAMAGED, problem: 'the database is damaged there (malformed)' });
  return [];
}

/** A page; undefined if the disk is damaged. */
async function tryRead(store: Reader, id: string, options: ReadOptions): Promise<Page<StoredEntry> | undefined> {
  try {
    return await store.read(id, options);
  } catch (error) {
    if (isHoldfastError(error) && (Number(error.details.errcode) & 0xff) === SQLITE_CORRUPT) return undefined;
    throw error;
  }
}
