import type { SessionEntry, StoredEntry, UsageEntry } from '../entry.ts';
import { inconsistent } from '../log/broken-entry.ts';
import { eachEntry, type SessionStore } from '../store.ts';
import { entriesIn, requestText, textHash } from './request-form.ts';

/** A request to a model, as it was sent. */
export interface SentRequest {
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The JSON text of the request's body. */
  readonly body: string;
  /** True if keys were masked in it before it was stored. */
  readonly masked: boolean;
  /** What it used, if it was answered. */
  readonly usage?: UsageEntry;
}

type Reader = Pick<SessionStore, 'read'>;

/** The entry number of a session's nth request, counted from 1, or from the end if negative. Undefined if there is none. */
export async function requestNumber(store: Reader, session: string, nth: number): Promise<number | undefined> {
  let count = 0;
  for await (const { seq } of eachEntry(store, session, { types: ['request'], reverse: nth < 0 }))
    if (++count === Math.abs(nth)) return seq;
  return undefined;
}

/** The request that a `request` entry holds. Throws BAD_STORE if what it refers to is not what was sent. */
export async function requestAt(store: Reader, session: string, seq: number): Promise<SentRequest> {
  const stored = await entryAt(store, session, seq);
  if (stored?.entry.type !== 'request') throw inconsistent(session, `entry ${seq} is not a request`);
  const { entry, time } = stored as StoredEntry<'request'>;
  const values = new Map<number, unknown>();
  for (const needed of new Set(entriesIn(entry)))
    values.set(needed, valueIn((await entryAt(store, session, needed))?.entry));
  const body = requestText(entry, (needed) => values.get(needed));
  if (textHash(body) !== entry.hash)
    throw inconsistent(session, `request ${seq} is not what was sent: its hash does not match`);
  const usage = await usageOf(store, session, seq);
  return { seq, time, body, masked: 'masked' in entry, ...(usage ? { usage } : {}) };
}

/** What an entry contributes to a request. Pure. */
export function valueIn(entry: SessionEntry | undefined): unknown {
  if (entry?.type === 'part') return entry.value;
  return entry && 'message' in entry ? entry.message : undefined;
}

async function entryAt(store: Reader, session: string, seq: number): Promise<StoredEntry | undefined> {
  const [stored] = (await store.read(session, { from: seq, limit: 1 })).items;
  return stored?.seq === seq ? stored : undefined;
}

/** Other requests, such as those for summaries, may be sent before this one is answered. */
async function usageOf(store: Reader, session: string, seq: number) {
  for await (const { entry } of eachEntry(store, session, { types: ['usage'], from: seq + 1 }))
    if (entry.request === seq) return entry;
  return undefined;
}
