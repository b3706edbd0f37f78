import type { BrokenEntry } from '../../log/broken-entry.ts';
import { eachEntry, type SessionStore } from '../../store.ts';
import type { CallResult } from './restore-conversation.ts';

/** A call's result that no message holds yet. */
export interface OpenResult extends CallResult {
  readonly seq: number;
}

/**
 * The results after the newest message, in order: their process ended before the other calls of the same answer finished. Skips
 * unreadable ones. Throws UNKNOWN_SESSION.
 */
export async function openResults(store: Pick<SessionStore, 'read'>, session: string): Promise<OpenResult[]> {
  const results: OpenResult[] = [];
  let end = 0;
  const onBroken = ({ seq, type }: BrokenEntry) => {
    if (type !== 'result') end = Math.max(end, seq);
  };
  const types = ['result', 'message', 'rewind'] as const;
  for await (const { seq, entry } of eachEntry(store, session, { types, reverse: true, onBroken })) {
    if (entry.type !== 'result') break;
    const { id, text, failed } = entry;
    results.unshift({ seq, id, text, failed });
  }
  return results.filter(({ seq }) => seq > end);
}
