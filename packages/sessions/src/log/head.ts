import { randomInt } from 'node:crypto';
import { type HandleTarget, HoldfastError, handleTarget, maskSecrets, messageHandle, type WindowState } from 'holdfast';
import { chainHash, NO_HASH, readUsage, type SessionEntry } from '../entry.ts';
import { plainLine, shortened, titleFrom } from '../recall/message-text.ts';
import { entriesIn } from '../requests/request-form.ts';
import type { NewSession, SessionInfo } from '../store.ts';
import { maskEntry } from './mask-entry.ts';

type Eras = WindowState['eras'];

/** What a store keeps for a session besides its entries: all that the next append needs. Bounded. */
export interface Head extends SessionInfo {
  /** From which position on messages are of which revision; see `handleAt`. */
  readonly eras: Eras;
}

/** An entry as a store writes it: the columns to look it up by, and its JSON text. */
export interface LogRow {
  readonly seq: number;
  readonly time: number;
  readonly type: SessionEntry['type'];
  readonly hash: string;
  readonly body: string;
  /** For a message: its position in the history, and the number of rewinds before it. */
  readonly place: number | null;
  readonly era: number | null;
  /** For a handle: its name, and the entry with its message (itself, if it holds it). */
  readonly handle: string | null;
  readonly target: number | null;
  readonly entry: SessionEntry;
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A session without entries. Throws BAD_CONFIG for an invalid id. */
export function newHead({ id = newId(), title = '', created = Date.now() }: NewSession, mask = false): Head {
  if (!/^[\w.-]{1,100}$/.test(id))
    throw new HoldfastError('BAD_CONFIG', `invalid session id "${plainLine(id)}": use letters, digits, . _ and -`);
  return {
    id,
    title: titleText(mask ? maskSecrets(title) : title),
    created,
    updated: created,
    last: 0,
    hash: NO_HASH,
    messages: 0,
    folds: 0,
    bytes: 0,
    tokens: 0,
    cost: 0,
    eras: [],
  };
}

/** Random, so that a few letters identify a session; 12 of 31 letters never collide in practice. */
function newId(): string {
  return Array.from({ length: 12 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** The session after these entries, and the rows to write for them. Pure. Throws INVALID_HISTORY for an invalid entry. */
export function advance(
  before: Head,
  entries: readonly SessionEntry[],
  time: number | readonly number[],
  mask = false,
): { readonly head: Head; readonly rows: readonly LogRow[] } {
  let head = before;
  const rows = entries.map((given, at) => {
    const problem = problemOf(given, head);
    if (problem !== undefined) throw new HoldfastError('INVALID_HISTORY', `entry ${at} ${problem}`, { index: at });
    const entry = mask ? maskEntry(given) : given;
    const row = rowOf(head, entry, typeof time === 'number' ? time : (time[at] ?? head.updated));
    head = after(head, row);
    return row;
  });
  return { head, rows };
}

function rowOf(head: Head, entry: SessionEntry, time: number): LogRow {
  const body = JSON.stringify(entry);
  const seq = head.last + 1;
  const isMessage = entry.type === 'message';
  return {
    seq,
    time,
    type: entry.type,
    hash: chainHash(head.hash, seq, time, body),
    body,
    place: isMessage ? head.messages : null,
    era: isMessage ? eraAt(head.messages, head.eras) : null,
    handle: entry.type === 'handle' ? entry.handle : null,
    target: entry.type === 'handle' ? ('seq' in entry ? entry.seq : seq) : null,
    entry,
  };
}

function after(head: Head, { seq, time, hash, body, entry }: LogRow): Head {
  const bytes = head.bytes + Buffer.byteLength(body);
  return { ...head, ...changes(head, entry), last: seq, hash, bytes, updated: Math.max(head.updated, time) };
}

function changes(head: Head, entry: SessionEntry): Partial<Head> {
  switch (entry.type) {
    case 'message': {
      const title = head.title === '' ? titleText(titleFrom(entry.message) ?? '') : head.title;
      return { messages: head.messages + 1, title };
    }
    case 'rewind':
      return {
        ...(entry.to === head.messages ? {} : { messages: entry.to, eras: nextEra(head.eras, entry.to) }),
        ...(entry.folds === undefined ? {} : { folds: entry.folds }),
      };
    case 'fold':
    case 'refold':
      return { folds: head.folds + 1 };
    case 'unfold':
      return { folds: Math.max(0, head.folds - 1) };
    case 'usage': {
      const { input, output, cacheRead, cacheWrite } = readUsage(entry).tokens;
      return {
        tokens: head.tokens + input + output + cacheRead + cacheWrite,
        cost: head.cost + (entry.cost ?? 0),
      };
    }
    case 'title':
      return { title: titleText(entry.title) };
    case 'model':
      return {
        provider: plainLine(entry.provider),
        model: plainLine(entry.model),
        dialect: plainLine(entry.dialect),
        ...(entry.provider === 'crew' ? { kind: 'crew' } : {}),
      };
    case 'run':
      return { kind: 'run' };
    default:
      return {};
  }
}

function titleText(title: string): string {
  return shortened(plainLine(title), 200);
}

/** Why a value cannot be an entry of any session; undefined if it can. */
export function entryProblem(entry: SessionEntry): string | undefined {
  const most = Number.MAX_SAFE_INTEGER;
  return problemOf(entry, { messages: most, last: most });
}

/** Why a value cannot be the next entry of this session; undefined if it can. */
function problemOf(entry: SessionEntry, head: Pick<Head, 'messages' | 'last'>): string | undefined {
  const is = (value: unknown, test: (value: never) => boolean) => test(value as never);
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 0;
  const isAmount = (value: number) => Number.isFinite(value) && value >= 0;
  const isObject = (value: object) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const isText = (value: string) => typeof value === 'string';
  if (!is(entry, isObject)) return 'is not an object: expected { type, … }';
  switch (entry.type) {
    case 'message':
      return is(entry.message, isObject) ? undefined : 'has no message: expected the object sent to the provider';
    case 'fold':
      return is(entry.fold, isObject) && is(entry.receipt, isObject) ? undefined : 'needs a fold and its receipt';
    case 'unfold':
    case 'refold':
      return undefined;
    case 'usage': {
      const { tokens, cost = 0 } = entry;
      const amounts = is(tokens, isObject)
        ? [tokens.input, tokens.output, ...Object.values(tokens), cost]
        : [Number.NaN];
      return amounts.every(isAmount) ? undefined : 'needs tokens: { input, output }, each a number, 0 or more';
    }
    case 'result':
      return is(entry.id, isText) && is(entry.text, isText) && typeof entry.failed === 'boolean'
        ? undefined
        : 'needs id, text and failed';
    case 'reminder':
      return is(entry.at, isCount) && entry.at < head.messages && is(entry.text, isText)
        ? undefined
        : 'needs at, the index of an earlier message, and text';
    case 'call':
      return is(entry.id, isText) ? undefined : 'needs the id of a call';
    case 'run':
      return is(entry.change, isObject) ? undefined : 'needs change, an object';
    case 'part':
      return is(entry.hash, isText) && 'value' in entry ? undefined : 'needs hash and value';
    case 'request':
      return is(entry.hash, isText) &&
        Array.isArray(entry.body) &&
        entriesIn(entry.body).every((seq) => seq <= head.last)
        ? undefined
        : 'needs hash and body, which may refer only to earlier entries';
    case 'title':
      return is(entry.title, isText) ? undefined : 'needs a title';
    case 'pin':
    case 'unpin':
      return is(entry.index, isCount) ? undefined : 'needs the index of a message (0 or more)';
    case 'rewind':
      return is(entry.to, isCount) && entry.to <= head.messages
        ? undefined
        : `rewinds to before message ${entry.to}, but the history has ${head.messages}`;
    case 'fork':
      return is(entry.session, isText) && is(entry.seq, isCount) && is(entry.entries, isCount)
        ? undefined
        : 'needs session, seq and entries';
    case 'model':
      return is(entry.provider, isText) && is(entry.model, isText) && is(entry.dialect, isText)
        ? undefined
        : 'needs provider, model and dialect';
    case 'handle': {
      const leads = 'seq' in entry ? is(entry.seq, isCount) && entry.seq <= head.last : is(entry.message, isObject);
      return is(entry.handle, isText) && !/\s/.test(entry.handle) && readHandle(entry.handle) && leads
        ? undefined
        : 'needs a handle such as m41 or m41~1, and the seq of an earlier entry or a message';
    }
    default:
      return `has type ${JSON.stringify((entry as { type?: unknown }).type)}, which is unknown`;
  }
}

function eraAt(index: number, eras: Eras): number {
  let era = 0;
  for (const [from, number] of eras) if (from <= index) era = number;
  return era;
}

/** The revisions after a rewind to this position. Pure. */
export function nextEra(eras: Eras, from: number): Eras {
  const era = (eras.at(-1)?.[1] ?? 0) + 1;
  return [...eras.filter(([start]) => start < from), [from, era]];
}

/** The store's own name for a message: `m41`, or `m41~1` if it came after a rewind past it. */
export function handleAt(place: number, era: number): string {
  return messageHandle(place, era);
}

/** The position and revision that a handle names; undefined if it names no single message. Pure. */
export function readHandle(handle: string): { readonly place: number; readonly era: number } | undefined {
  const { index: place, revision: era = 0, part, to }: Partial<HandleTarget> = handleTarget(handle) ?? {};
  return place === undefined || part !== undefined || to ? undefined : { place, era };
}

/** The error for a writer that has not seen the newest entries. */
export function conflict(session: string, after: number, last: number): HoldfastError {
  return new HoldfastError(
    'STORE_CONFLICT',
    `session ${session} ends with entry ${last}, but this writer has seen ${after}: read the new entries and append again`,
    { session, after, last },
  );
}

/** The error for a session that does not exist. */
export function unknownSession(session: string, candidates: readonly string[] = []): HoldfastError {
  const text =
    candidates.length === 0
      ? `unknown session ${plainLine(session)}: see \`holdfast sessions list\``
      : `${plainLine(session)} matches several sessions (${candidates.join(', ')}): pass more of the id`;
  return new HoldfastError('UNKNOWN_SESSION', text, { session, candidates });
}
