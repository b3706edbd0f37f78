import type { SessionEntry } from '../entry.ts';
import type { BrokenEntry } from '../log/broken-entry.ts';
import { eachEntry, type SessionStore } from '../store.ts';
import type { CallResult } from './session-conversation.ts';

/** The result of a call that stands in no message yet. */
export interface OpenResult extends CallResult {
  readonly seq: number;
}

const TYPES: readonly SessionEntry['type'][] = ['result', 'message', 'rewind'];

/**
 * The results behind the newest message, in order: a process kept them, and ended before the other calls of the same answer
 * had theirs. None in any other session. One that cannot be read is left out. Throws UNKNOWN_SESSION.
 */
export async function openResults(store: Pick<SessionStore, 'read'>, session: string): Promise<OpenResult[]> {
  const results: OpenResult[] = [];
  let end = 0;
  const onBroken = ({ seq, type }: BrokenEntry) => {
    if (type !== 'result') end = Math.max(end, seq);
  };
  for await (const { seq, entry } of eachEntry(store, session, { types: TYPES, reverse: true, onBroken })) {
    if (entry.type !== 'result') break;
    const { id, text, failed } = entry;
    results.unshift({ seq, id, text, failed });
  }
  return results.filter(({ seq }) => seq > end);
}
