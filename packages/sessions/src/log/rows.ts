import { messageHandle } from 'holdfast';
import type { StoredEntry, WireMessage } from '../entry.ts';
import { messageText } from '../recall/message-text.ts';
import { linesOf, type Passage, snippetOf, wordsIn } from '../recall/passages.ts';
import {
  type FoundMessage,
  type Hit,
  isConversation,
  type ListOptions,
  type Page,
  type PlacedMessage,
  type ReadOptions,
  type SessionInfo,
} from '../store.ts';
import { type BrokenEntry, inconsistent, messageOf, parseEntry, unreadable } from './broken-entry.ts';
import { readHandle } from './handles.ts';
import { type Head, unknownSession } from './head.ts';

/** Bytes of a page, roughly; a single entry may exceed it. */
export const PAGE_BYTES = 4_000_000;
export const PAGE_ENTRIES = 500;

/** More words make a search slower and hardly better. */
const MOST_WORDS = 64;
/** Passages to read for each one wanted: many are copies. */
export const SPARE = 8;

/** The words to search for, each once. Pure. */
export function wordsAsked(words: string): string[] {
  return [...new Set(wordsIn(words))].slice(0, MOST_WORDS);
}

/** The values of the query for a list: where to start, the ids wanted, and how many. Pure. */
export function listValues({ before, prefix = '', suffix = '', limit = Number.MAX_SAFE_INTEGER }: ListOptions = {}) {
  const { updated, id } = before ?? { updated: Number.MAX_SAFE_INTEGER, id: '' };
  return [updated, id, prefix, `${prefix}\u{10ffff}`, suffix, limit];
}

/** The columns of a session, in the order of `headValues`. */
export const HEAD_COLUMNS =
  'id, title, created, updated, last, hash, messages, folds, bytes, tokens, cost, provider, model, dialect, kind, revisions';

export function headValues(head: Head): (string | number | null)[] {
  const { id, title, created, updated, last, hash, messages, folds, bytes, tokens, cost } = head;
  const { provider = null, model = null, dialect = null, kind = null, revisions } = head;
  const counts = [last, hash, messages, folds, bytes, tokens, cost];
  return [id, title, created, updated, ...counts, provider, model, dialect, kind, JSON.stringify(revisions)];
}

/** The columns of a message, from a table of entries that the query calls `e`. `taken`: see MessageRow. */
export function messageColumns(entries: string): string {
  return `e.seq, e.time, e.place, e.revision, e.type, e.body,
    (SELECT h.target FROM ${entries} h WHERE h.session = e.session AND h.handle IS NOT NULL AND
    h.handle = 'm' || e.place || CASE e.revision WHEN 0 THEN '' ELSE '~' || e.revision END LIMIT 1) AS taken`;
}

/** An entry's row as a database returns it; numbers may be strings. */
interface EntryRow {
  readonly seq: number | string;
  readonly time: number | string;
  readonly type: string;
  readonly hash: string;
  readonly body: string;
}

/** A message's row; `taken`: the entry that its own name leads to, if an archive reassigned it. */
interface MessageRow {
  readonly seq: number | string;
  readonly time: number | string;
  readonly place: number | string | null;
  readonly revision: number | string | null;
  readonly taken: number | string | null;
  readonly type: string;
  readonly body: string;
}

/** A session's row. */
export type HeadRow = Readonly<Record<keyof Omit<Head, 'revisions'>, unknown>> & { readonly revisions: string };

/** The entry of a row; undefined if it is broken, after calling `onBroken`. Throws BAD_STORE without `onBroken`. */
function storedEntry(session: string, row: EntryRow, onBroken: ReadOptions['onBroken']): StoredEntry | undefined {
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
function placedMessage(session: string, row: MessageRow, index = 0): PlacedMessage {
  const place = placeOf(row, index);
  try {
    const { message } = parseEntry(row.body, row.type) as { readonly message?: WireMessage };
    if (message === undefined) throw new Error('it has no message');
    return { ...place, message };
  } catch (error) {
    throw unreadable(session, `entry ${place.seq} (message ${place.handle})`, place.seq, error);
  }
}

function placeOf({ seq: number, time: written, place, revision, taken }: MessageRow, index: number) {
  const seq = Number(number);
  const time = Number(written);
  if (place === null) return { seq, time, index, handle: `#${seq}` };
  const own = messageHandle(Number(place), Number(revision));
  return { seq, time, index: Number(place), handle: taken === null || Number(taken) === seq ? own : `#${seq}` };
}

export function headOf(row: HeadRow): Head {
  const { id, title, provider, model, dialect, kind, hash, revisions } = row as Record<string, string | null> & HeadRow;
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
    revisions: revisionsOf(String(id), revisions),
  };
}

function revisionsOf(session: string, text: string): Head['revisions'] {
  try {
    const revisions: unknown = JSON.parse(text);
    const isPair = (pair: unknown) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isSafeInteger);
    if (Array.isArray(revisions) && revisions.every(isPair)) return revisions as unknown as Head['revisions'];
  } catch (error) {
    throw inconsistent(session, 'its revisions are not JSON', error);
  }
  throw inconsistent(session, 'its revisions are not a list of pairs of numbers');
}

/** What a list shows of a session. Pure. */
export function infoOf({ revisions: _, ...info }: Head): SessionInfo {
  return info;
}

/** A session for a list: its revisions are not read, so one broken session does not hide the others. */
export function listedInfo(row: HeadRow): SessionInfo {
  return infoOf(headOf({ ...row, revisions: '[]' }));
}

/** The only session found. Throws UNKNOWN_SESSION. */
export function onlyOne(prefix: string, found: readonly HeadRow[]): SessionInfo {
  const [info, ...more] = found.map(listedInfo);
  if (info && more.length === 0) return info;
  const ids = found.map(({ id }) => String(id));
  throw unknownSession(prefix, ids);
}

/** A page of rows of entries. Throws BAD_STORE for an unreadable one without `onBroken`. */
export function entryPage(session: string, rows: Iterable<unknown>, limit: number, onBroken: ReadOptions['onBroken']) {
  const made = (row: EntryRow) => storedEntry(session, row, onBroken);
  return pageOf(rows as Iterable<EntryRow>, limit, made, ({ seq }) => seq);
}

/** A page of rows of messages. Throws BAD_STORE for an unreadable one. */
export function messagePage(session: string, rows: Iterable<unknown>, limit: number): Page<PlacedMessage> {
  const made = (row: MessageRow) => placedMessage(session, row);
  return pageOf(rows as Iterable<MessageRow>, limit, made, ({ place }) => place);
}

/** A page of rows, which were fetched one past the limit, or up to the bytes of a page. */
function pageOf<R extends { readonly body: string }, T>(
  rows: Iterable<R>,
  limit: number,
  make: (row: R) => T | undefined,
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

/** A query for a message, with its values after the session's key. */
export interface Lookup {
  readonly query: 'current' | 'bySeq' | 'byHandle' | 'byRevision';
  readonly values: readonly (number | string)[];
  readonly by: FoundMessage['by'];
  /** The position, for a message that has none of its own. */
  readonly index?: number;
}

/** The message of a row; undefined if the query found none. Throws BAD_STORE if it is unreadable. */
export function foundMessage(session: string, row: unknown, { by, index }: Lookup): FoundMessage | undefined {
  return row ? { ...placedMessage(session, row as MessageRow, index), by } : undefined;
}

/** The queries for the message at a position, or behind a handle; the first that finds one is right. Pure. */
export function lookups(place: number | string, messages: number): Lookup[] {
  const now = (index: number): Lookup[] =>
    index < messages ? [{ query: 'current', values: [index], by: 'place' }] : [];
  if (typeof place === 'number') return now(place);
  const [, seq] = /^#(\d{1,15})$/.exec(place.trim()) ?? [];
  if (seq !== undefined) return [{ query: 'bySeq', values: [Number(seq)], by: 'name' }];
  const named = readHandle(place);
  if (named === undefined) return [];
  const { place: index, revision } = named;
  return [
    { query: 'byHandle', values: [messageHandle(index, revision)], by: 'record', index },
    { query: 'byRevision', values: [index, revision], by: 'name' },
    // A handle without a revision falls back to the message at that position.
    ...(revision === 0 ? now(index) : []),
  ];
}

/** A passage that a search found. */
interface Candidate extends MessageRow {
  readonly session: string;
  readonly start: number | string;
  readonly end: number | string;
}

/** Search results, best first, each text once. Stops reading when there are enough. */
export function hitsOf(candidates: Iterable<unknown>, asked: ReadonlySet<string>, limit: number): Hit[] {
  const hits: Hit[] = [];
  const shown = new Set<string>();
  for (const candidate of candidates as Iterable<Candidate>) {
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
