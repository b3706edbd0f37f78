import type { SessionEntryType, StoredEntry } from '../entry.ts';
import { eachEntry, type SessionStore } from '../store.ts';

/** A part of a log that still matters to the window: entries after `after`, up to `last`. */
export interface Span {
  readonly after: number;
  readonly last: number;
}

/**
 * The parts of a log that were not rewound, newest first. What comes before a rewind without `seq` no longer matters to the
 * window.
 */
export async function liveSpans(store: SessionStore, session: string, last: number): Promise<Span[]> {
  const spans: Span[] = [];
  let end = last;
  for await (const { seq, entry } of eachEntry(store, session, { types: ['rewind'], reverse: true })) {
    if (seq > end || entry.type !== 'rewind') continue;
    spans.push({ after: seq, last: end });
    if (entry.seq === undefined) return spans;
    end = Math.min(entry.seq, seq - 1);
  }
  return [...spans, { after: 0, last: end }];
}

/** Entries read at once: who asks for the newest needs few, and a fold may have 100 kB. */
const NEAR = 16;

/** The entries of these types in the spans, newest first. */
export async function* newestFirst(
  store: SessionStore,
  session: string,
  spans: readonly Span[],
  types: readonly SessionEntryType[],
): AsyncGenerator<StoredEntry> {
  for (const { after, last } of spans) {
    if (last <= after) continue;
    for await (const stored of eachEntry(store, session, { types, reverse: true, from: last, limit: NEAR })) {
      if (stored.seq <= after) break;
      yield stored;
    }
  }
}
