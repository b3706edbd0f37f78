import { messageHandle } from 'holdfast';
import type { StoredEntry, WireMessage } from '../entry.ts';
import { messageText } from '../recall/message-text.ts';
import { linesOf, type Passage, snippetOf } from '../recall/passages.ts';
import {
  type Hit,
  isConversation,
  type Page,
  type PlacedMessage,
  type ReadOptions,
  type SessionInfo,
} from '../store.ts';
import { type BrokenEntry, inconsistent, messageOf, parseEntry, unreadable } from './broken-entry.ts';
import type { Head } from './head.ts';

/** Bytes of a page, roughly; a single entry may exceed it. */
export const PAGE_BYTES = 4_000_000;
export const PAGE_ENTRIES = 500;

/** An entry's row as a database returns it; numbers may be strings. */
export interface EntryRow {
  readonly seq: number | string;
  readonly time: number | string;
  readonly type: string;
  readonly hash: string;
  readonly body: string;
}

/** A message's row; `taken`: the entry that its own name leads to, if an archive reassigned it. */
export interface MessageRow {
  readonly seq: number | string;
  readonly time: number | string;
  readonly place: number | string | null;
  readonly era: number | string | null;
  readonly taken: number | string | null;
  readonly type: string;
  readonly body: string;
}

/** A session's row. */
export type HeadRow = Readonly<Record<keyof Omit<Head, 'eras'>, unknown>> & { readonly eras: string };

/** The entry of a row; undefined if it is broken, after calling `onBroken`. Throws BAD_STORE without `onBroken`. */
export function storedEntry(
  session: string,
  row: EntryRow,
  onBroken: ReadOptions['onBroken'],
): StoredEntry | undefined {
  const { type, hash, body } = row;
  const seq = Number(row.seq);
  const time = Number(row.time);
  try {
    return { seq, time, hash, entry: parseEntry(body, type) };
  } catch (error) {
    const broken = unreadable(session, `entry ${seq} (${type})`, seq, error);
    if (!onBroken) throw broken;
    onBroken({ seq, time, hash, type, problem: String(broken.details.problem) } satisfies BrokenEntry);
    return undefined;
  }
}

/** `index`: for a message without a position of its own. Throws BAD_STORE if it is unreadable. */
export function placedMessage(session: string, row: MessageRow, index = 0): PlacedMessage {
  const place = placeOf(row, index);
  try {
    const { message } = parseEntry(row.body, row.type) as { readonly message?: WireMessage };
    if (message === undefined) throw new Error('it has no message');
    return { ...place, message };
  } catch (error) {
    throw unreadable(session, `entry ${place.seq} (message ${place.handle})`, place.seq, error);
  }
}

function placeOf({ seq: number, time: written, place, era, taken }: MessageRow, index: number) {
  const seq = Number(number);
  const time = Number(written);
  if (place === null) return { seq, time, index, handle: `#${seq}` };
  const own = messageHandle(Number(place), Number(era));
  return { seq, time, index: Number(place), handle: taken === null || Number(taken) === seq ? own : `#${seq}` };
}

export function headOf(row: HeadRow): Head {
  const { id, title, provider, model, dialect, kind, hash, eras } = row as Record<string, string | null> & HeadRow;
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
    ...(kind === 'run' || kind === 'crew' || isConversation(kind) ? { kind } : {}),
    eras: erasOf(String(id), eras),
  };
}

function erasOf(session: string, text: string): Head['eras'] {
  try {
    const eras: unknown = JSON.parse(text);
    const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isSafeInteger);
    if (Array.isArray(eras) && eras.every(isPair)) return eras as unknown as Head['eras'];
  } catch (error) {
    throw inconsistent(session, 'its revisions (eras) are not JSON', error);
  }
  throw inconsistent(session, 'its revisions (eras) are not a list of pairs of numbers');
}

/** A session for a list: its revisions are not read, so one broken session does not hide the others. */
export function infoOf(row: HeadRow): SessionInfo {
  const { eras: _, ...info } = headOf({ ...row, eras: '[]' });
  return info;
}

/** A single session. Throws BAD_STORE if its revisions are broken. */
export function soundInfoOf(row: HeadRow): SessionInfo {
  const { eras: _, ...info } = headOf(row);
  return info;
}

/** A page of rows, which were fetched one past the limit, or up to the bytes of a page. */
export function pageOf<R, T>(
  rows: Iterable<R & { readonly body: string }>,
  limit: number,
  make: (row: R & { readonly body: string }) => T | undefined,
  place: (row: R) => number | string | null,
): Page<T> {
  const items: T[] = [];
  let bytes = 0;
  let count = 0;
  for (const row of rows) {
    const isFull = count === limit || (count > 0 && bytes + row.body.length > PAGE_BYTES);
    if (isFull) return { items, next: Number(place(row)) };
    bytes += row.body.length;
    count++;
    const item = make(row);
    if (item !== undefined) items.push(item);
  }
  return { items };
}

/** A passage that a search found. */
export interface Candidate extends MessageRow {
  readonly session: string;
  readonly start: number | string;
  readonly end: number | string;
}

/** Search results, best first, each text once. Stops reading when there are enough. */
export function hitsOf(candidates: Iterable<Candidate>, asked: ReadonlySet<string>, limit: number): Hit[] {
  const hits: Hit[] = [];
  const shown = new Set<string>();
  for (const candidate of candidates) {
    if (hits.length === limit) break;
    const found = readable(candidate);
    if ('hit' in found) {
      if (!shown.has(found.hit.text)) hits.push(found.hit);
      shown.add(found.hit.text);
      continue;
    }
    const { message, time: _, ...place } = found;
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

/** The message of a passage, or a hit that says it is broken, so that the others are still shown. */
function readable(candidate: Candidate): PlacedMessage | { readonly hit: Hit } {
  const { session } = candidate;
  try {
    return placedMessage(session, candidate);
  } catch (error) {
    const text = `[${messageOf(error)}]`;
    const { time: _, ...place } = placeOf(candidate, 0);
    return { hit: { session, ...place, lines: { from: 1, to: 1 }, text, snippet: text } };
  }
}
