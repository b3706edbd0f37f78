import type { SessionEntryType, StoredEntry } from '../../entry.ts';
import { eachEntry, type SessionStore } from '../../store.ts';

/** Entries read at a time: a caller that wants the newest needs few, and a fold may take 100 kB. */
const NEAR = 16;

/** The entries of these types that still matter to the window, newest first. */
export type LiveEntries = <T extends SessionEntryType>(...types: readonly T[]) => AsyncGenerator<StoredEntry<T>>;

/** The parts of a log up to entry `last` that were not rewound. What comes before a rewind without `seq` no longer matters. */
export async function liveEntries(store: SessionStore, session: string, last: number): Promise<LiveEntries> {
  const spans: { readonly after: number; readonly last: number }[] = [];
  let end = last;
  for await (const { seq, entry } of eachEntry(store, session, { types: ['rewind'], reverse: true })) {
    if (seq > end) continue;
    spans.push({ after: seq, last: end });
    end = entry.seq === undefined ? 0 : Math.min(entry.seq, seq - 1);
    if (end === 0) break;
  }
  spans.push({ after: 0, last: end });
  return async function* newestFirst(...types) {
    for (const { after, last: from } of spans) {
      if (from <= after) continue;
      for await (const stored of eachEntry(store, session, { types, reverse: true, from, limit: NEAR })) {
        if (stored.seq <= after) break;
        yield stored;
      }
    }
  };
}
