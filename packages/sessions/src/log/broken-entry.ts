import { HoldfastError, isHoldfastError } from 'holdfast';
import type { SessionEntry } from '../entry.ts';
import { entryProblem } from './entry-problem.ts';

/** An unreadable entry. */
export interface BrokenEntry {
  readonly seq: number;
  readonly time: number;
  readonly hash: string;
  /** The type it is stored under. */
  readonly type: string;
  /** What is wrong with it. */
  readonly problem: string;
}

/** The message of whatever was thrown. Pure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Parses and checks an entry. Throws Error with what is wrong. */
export function parseEntry(body: string, type: string): SessionEntry {
  const entry = parsed(body) as SessionEntry;
  const problem = entryProblem(entry);
  if (problem !== undefined) throw new Error(`it ${problem}`);
  if (entry.type !== type) throw new Error(`it is stored as ${type}, but its text says ${entry.type}`);
  return entry;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Error(`its text of ${body.length} characters is not JSON: ${messageOf(error)}`);
  }
}

/** The error for a broken entry. */
export function unreadable(session: string, name: string, seq: number, cause: unknown): HoldfastError {
  const problem = messageOf(cause);
  return new HoldfastError(
    'BAD_STORE',
    `${name} of session ${session} is broken: ${problem}. ${wayOut(session)}`,
    { session, seq, problem },
    cause,
  );
}

/** The error for a log that contradicts itself. */
export function inconsistent(session: string, wrong: string, cause?: unknown): HoldfastError {
  return new HoldfastError(
    'BAD_STORE',
    `session ${session} is inconsistent: ${wrong}. ${wayOut(session)}`,
    { session },
    cause,
  );
}

function wayOut(session: string): string {
  return `Run \`holdfast sessions verify ${session}\` for all problems; restore the store from a backup, or import an export under another id`;
}

/** The number of the broken entry that an error is about; undefined for any other error. */
export function brokenSeq(error: unknown): number | undefined {
  const { seq } = isHoldfastError(error) && error.code === 'BAD_STORE' ? error.details : {};
  return typeof seq === 'number' ? seq : undefined;
}
