import { HoldfastError, isHoldfastError } from 'holdfast';
import type { SessionEntry } from '../entry.ts';
import { entryProblem } from './head.ts';

/** An entry that cannot be read, and why. */
export interface BrokenEntry {
  readonly seq: number;
  readonly time: number;
  readonly hash: string;
  /** The type under which it is listed, which its own text may no longer tell. */
  readonly type: string;
  /** What is wrong with it. */
  readonly problem: string;
}

/** The message of whatever was thrown. Pure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The entry in a row's text. Throws Error with what is wrong in words: no JSON, another type, fields missing or of a wrong type. */
export function parseEntry(body: string, type: string): SessionEntry {
  const entry = parsed(body) as SessionEntry;
  const problem = entryProblem(entry);
  if (problem !== undefined) throw new Error(`it ${problem}`);
  if (entry.type !== type) throw new Error(`it is listed as ${type}, and its text says ${entry.type}`);
  return entry;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Error(`its text of ${body.length} characters is no JSON: ${messageOf(error)}`);
  }
}

/** Tells the caller of a broken entry, if it wants to know, or throws BAD_STORE. */
export function unreadable(session: string, name: string, seq: number, cause: unknown): HoldfastError {
  const problem = messageOf(cause);
  return new HoldfastError(
    'BAD_STORE',
    `${name} of session ${session} is broken: ${problem}. ${wayOut(session)}`,
    { session, seq, problem },
    cause,
  );
}

/** The error for a log that cannot be what was written. */
export function notAdding(session: string, wrong: string, cause?: unknown): HoldfastError {
  return new HoldfastError(
    'BAD_STORE',
    `session ${session} does not add up: ${wrong}. ${wayOut(session)}`,
    { session },
    cause,
  );
}

function wayOut(session: string): string {
  return `See \`holdfast sessions verify ${session}\` for all that is wrong; restore the store from a copy, or import an export under another id`;
}

/** The number of the entry that an error of a store calls broken; undefined for any other error. */
export function brokenSeq(error: unknown): number | undefined {
  const { seq } = isHoldfastError(error) && error.code === 'BAD_STORE' ? error.details : {};
  return typeof seq === 'number' ? seq : undefined;
}
