import { randomInt } from 'node:crypto';
import { HoldfastError, maskSecrets, type WindowState } from 'holdfast';
import { chainHash, NO_HASH, readUsage, type SessionEntry } from '../entry.ts';
import { plainLine, shortened, titleFrom } from '../recall/message-text.ts';
import { isConversation, type NewSession, type SessionInfo } from '../store.ts';
import { entryProblem } from './entry-problem.ts';
import { plainHandle } from './handles.ts';
import { maskEntry } from './mask-entry.ts';

type Revisions = WindowState['revisions'];

/** What a store keeps for a session besides its entries: all that the next append needs. Bounded. */
export interface Head extends SessionInfo {
  /** From which position on messages are of which revision; see `messageHandle`. */
  readonly revisions: Revisions;
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
  readonly revision: number | null;
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
    revisions: [],
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
    const problem = entryProblem(given, head);
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
    revision: isMessage ? revisionAt(head.messages, head.revisions) : null,
    handle: entry.type === 'handle' ? plainHandle(entry.handle) : null,
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
        ...(entry.to === head.messages
          ? {}
          : { messages: entry.to, revisions: nextRevision(head.revisions, entry.to) }),
        ...(entry.folds === undefined ? {} : { folds: entry.folds }),
      };
    case 'fold':
    case 'refold':
      return { folds: head.folds + 1 };
    case 'unfold':
      return { folds: Math.max(0, head.folds - 1) };
    case 'usage': {
      if (entry.copied) return {};
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
        ...(entry.provider === 'crew' || isConversation(entry.provider) ? { kind: entry.provider } : {}),
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

function revisionAt(index: number, revisions: Revisions): number {
  let revision = 0;
  for (const [from, number] of revisions) if (from <= index) revision = number;
  return revision;
}

/** The revisions after a rewind to this position. Pure. */
export function nextRevision(revisions: Revisions, from: number): Revisions {
  const revision = (revisions.at(-1)?.[1] ?? 0) + 1;
  return [...revisions.filter(([start]) => start < from), [from, revision]];
}

/** The error for a writer that has not seen the newest entries. */
export function conflict(session: string, after: number, last: number): HoldfastError {
  return new HoldfastError(
    'STORE_CONFLICT',
    `session ${session} ends with entry ${last}, but this writer has seen ${after}: read the new entries and append again`,
    { session, after, last },
  );
}

/** The error for a new session whose id is taken. */
export function alreadyThere(session: string): HoldfastError {
  return new HoldfastError('STORE_CONFLICT', `session ${session} already exists: choose another id`, { session });
}

/** The error for a session that does not exist. */
export function unknownSession(session: string, candidates: readonly string[] = []): HoldfastError {
  const text =
    candidates.length === 0
      ? `unknown session ${plainLine(session)}: see \`holdfast sessions list\``
      : `${plainLine(session)} matches several sessions (${candidates.join(', ')}): pass more of the id`;
  return new HoldfastError('UNKNOWN_SESSION', text, { session, candidates });
}
