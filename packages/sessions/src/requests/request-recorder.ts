import type { SessionEntry } from '../entry.ts';
import { maskJson } from '../log/mask-entry.ts';
import type { SessionWriter } from '../log/writer.ts';
import { eachEntry, type SessionStore } from '../store.ts';
import { valueIn } from './request-at.ts';
import { entriesIn, fieldsOf, textHash } from './request-form.ts';

/** Turns requests into entries that refer to what the log already holds. One for each writer of a session. */
export interface RequestRecorder {
  /** Takes note of appended entries; `last` is the number of the newest. */
  appended(entries: readonly SessionEntry[], last: number): void;
  /** Appends a request's JSON body after the values that no entry holds yet; returns its number. Throws as `append` does. */
  sent(writer: Pick<SessionWriter, 'append'>, body: string): Promise<number>;
}

export function createRequestRecorder(store: SessionStore, session: string): RequestRecorder {
  /** The entry that holds a value, by the hash of its JSON text. */
  const known = new Map<string, number>();
  let loaded: Promise<void> | undefined;
  const learn = (entry: SessionEntry, seq: number) => {
    const value = valueIn(entry);
    if (value !== undefined) known.set(textHash(JSON.stringify(value)), seq);
  };
  const entriesFor = async (text: string, last: number): Promise<SessionEntry[]> => {
    loaded ??= load(store, session, last, learn);
    await loaded;
    const sent: unknown = JSON.parse(text);
    const body = store.mask_keys ? maskJson(sent) : sent;
    const stored = JSON.stringify(body);
    const parts: SessionEntry[] = [];
    const find = (value: unknown) => known.get(textHash(JSON.stringify(value)));
    const keep = (value: unknown) => {
      const hash = textHash(JSON.stringify(value));
      const there = known.get(hash);
      if (there !== undefined) return there;
      parts.push({ type: 'part', hash, value });
      known.set(hash, last + parts.length);
      return last + parts.length;
    };
    const fields = fieldsOf(body as Readonly<Record<string, unknown>>, keep, find);
    const masked = stored === JSON.stringify(sent) ? {} : ({ masked: true } as const);
    return [...parts, { type: 'request', hash: textHash(stored), body: fields, ...masked }];
  };
  return {
    appended(entries, last) {
      for (const [at, entry] of entries.entries()) learn(entry, last - entries.length + 1 + at);
    },
    sent: (writer, body) => writer.append((last) => entriesFor(body, last)),
  };
}

/**
 * Reads what the next request will most likely refer to: all values that are not messages, and the messages of the last
 * request.
 */
async function load(
  store: SessionStore,
  session: string,
  last: number,
  learn: (entry: SessionEntry, seq: number) => void,
): Promise<void> {
  if (last === 0) return;
  for await (const { seq, entry } of eachEntry(store, session, { types: ['part'] })) learn(entry, seq);
  const newest = await store.read(session, { types: ['message'], reverse: true });
  for (const { seq, entry } of newest.items) learn(entry, seq);
  const first = newest.items.at(-1)?.seq ?? 0;
  const [request] = (await store.read(session, { types: ['request'], reverse: true, limit: 1 })).items;
  if (request?.entry.type !== 'request') return;
  for (const needed of entriesIn(request.entry).filter((seq) => seq < first)) {
    const [stored] = (await store.read(session, { from: needed, limit: 1 })).items;
    if (stored) learn(stored.entry, stored.seq);
  }
}
