import { isHoldfastError } from 'holdfast';
import { NO_HASH, type StoredEntry } from '../entry.ts';
import type { BrokenEntry } from '../log/broken-entry.ts';
import type { Page, ReadOptions, SessionInfo, SessionStore } from '../store.ts';

type Reader = Pick<SessionStore, 'read'>;
type OnBroken = (broken: BrokenEntry) => void;

/** In place of the type of an entry that the disk no longer gives. */
export const DAMAGED = '';
const SQLITE_CORRUPT = 11;

/** All entries in order. Where the disk is damaged they are read one by one, and `onBroken` is told of those that are lost. */
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

/** A store looks at the entry behind, too, which may be the damaged one: then at the one before. */
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
