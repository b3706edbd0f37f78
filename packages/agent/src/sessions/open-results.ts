import type { SessionEntry } from './session.ts';
import { eachEntry, type SessionStore } from './store.ts';

/** The result of a call that stands in no message yet. */
export interface OpenResult {
  readonly seq: number;
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
}

const TYPES: readonly SessionEntry['type'][] = ['result', 'message', 'rewind'];

/**
 * The results behind the newest message, in order: a process kept them, and ended before the other calls of the same answer
 * had theirs. None in any other session. Throws UNKNOWN_SESSION, and BAD_STORE for an entry that cannot be read.
 */
export async function openResults(store: Pick<SessionStore, 'read'>, session: string): Promise<OpenResult[]> {
  const results: OpenResult[] = [];
  for await (const { seq, entry } of eachEntry(store, session, { types: TYPES, reverse: true })) {
    if (entry.type !== 'result') break;
    const { id, text, failed } = entry;
    results.unshift({ seq, id, text, failed });
  }
  return results;
}
