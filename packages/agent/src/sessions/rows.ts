import { type Head, handleAt } from './head.ts';
import { messageText } from './message-text.ts';
import { linesOf, type Passage, snippetOf } from './passages.ts';
import type { SessionEntry, StoredEntry, WireMessage } from './session.ts';
import type { Hit, Page, PlacedMessage, SessionInfo } from './store.ts';

/** Bytes of a page, about; one entry may be more by itself. */
export const PAGE_BYTES = 4_000_000;
export const PAGE_ENTRIES = 500;

/** A row of a session's entries as a database gives it; numbers may come as texts. */
export interface EntryRow {
  readonly seq: number | string;
  readonly time: number | string;
  readonly hash: string;
  readonly body: string;
}

/** A row of a message; `taken` is the entry that its own name leads to, where an archive has given it away. */
export interface MessageRow {
  readonly seq: number | string;
  readonly place: number | string | null;
  readonly era: number | string | null;
  readonly taken: number | string | null;
  readonly body: string;
}

/** A row of a session. */
export type HeadRow = Readonly<Record<keyof Omit<Head, 'eras'>, unknown>> & { readonly eras: string };

export function storedEntry({ seq, time, hash, body }: EntryRow): StoredEntry {
  return { seq: Number(seq), time: Number(time), hash, entry: JSON.parse(body) as SessionEntry };
}

/** `index`: for a message that has no place of its own. */
export function placedMessage(row: MessageRow, index = 0): PlacedMessage {
  const { message } = JSON.parse(row.body) as { message: WireMessage };
  return { ...placeOf(row, index), message };
}

function placeOf({ seq: number, place, era, taken }: MessageRow, index: number) {
  const seq = Number(number);
  if (place === null) return { seq, index, handle: `#${seq}` };
  const own = handleAt(Number(place), Number(era));
  return { seq, index: Number(place), handle: taken === null || Number(taken) === seq ? own : `#${seq}` };
}

export function headOf(row: HeadRow): Head {
  const { id, title, provider, model, dialect, hash, eras } = row as Record<string, string | null> & HeadRow;
  return {
    id: String(id),
    title: String(title),
    created: Number(row.created),
    updated: Number(row.updated),
    last: Number(row.last),
    hash: String(hash),
    messages: Number(row.messages),
    folds: Number(row.folds),
    bytes: Number(row.bytes),
    tokens: Number(row.tokens),
    cost: Number(row.cost),
    ...(typeof provider === 'string' ? { provider } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof dialect === 'string' ? { dialect } : {}),
    eras: JSON.parse(eras) as Head['eras'],
  };
}

export function infoOf(row: HeadRow): SessionInfo {
  const { eras: _, ...info } = headOf(row);
  return info;
}

/** A page of rows that were fetched one beyond the limit, or up to the bytes of a page. */
export function pageOf<R, T>(
  rows: Iterable<R & { readonly body: string }>,
  limit: number,
  make: (row: R & { readonly body: string }) => T,
  place: (item: T) => number,
): Page<T> {
  const items: T[] = [];
  let bytes = 0;
  for (const row of rows) {
    const isFull = items.length === limit || (items.length > 0 && bytes + row.body.length > PAGE_BYTES);
    if (isFull) return { items, next: place(make(row)) };
    bytes += row.body.length;
    items.push(make(row));
  }
  return { items };
}

/** A passage that was found, the best first. */
export interface Candidate extends MessageRow {
  readonly session: string;
  readonly start: number | string;
  readonly end: number | string;
}

/** Passages as they are shown; of those with the same text the best alone. Stops reading when there are enough. */
export function hitsOf(candidates: Iterable<Candidate>, asked: ReadonlySet<string>, limit: number): Hit[] {
  const hits: Hit[] = [];
  const shown = new Set<string>();
  for (const candidate of candidates) {
    if (hits.length === limit) break;
    const { message, ...place } = placedMessage(candidate);
    const whole = messageText(message);
    const passage: Passage = { start: Number(candidate.start), end: Number(candidate.end) };
    const text = whole.slice(passage.start, passage.end).trimEnd();
    if (shown.has(text)) continue;
    shown.add(text);
    const lines = linesOf(whole, passage);
    hits.push({ session: candidate.session, ...place, lines, text, snippet: snippetOf(text, asked) });
  }
  return hits;
}
