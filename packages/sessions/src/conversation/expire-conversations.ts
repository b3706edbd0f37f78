import { isHoldfastError } from 'holdfast';
import type { ConversationKind, SessionInfo, SessionStore } from '../store.ts';

/** How long conversations of one kind are kept, and how many bytes of them. */
export interface Keep {
  /** Conversations last used before this time are deleted: milliseconds since 1970. */
  readonly olderThan: number;
  /** Most bytes of all that remain; the longest unused are deleted first. */
  readonly maxBytes: number;
  /** Default: the proxy's. */
  readonly kind?: ConversationKind;
}

/** Deletes conversations that were not used for long, or that are too large together. Touches no other session. */
export async function expireConversations(
  store: Pick<SessionStore, 'list' | 'info' | 'delete'>,
  { olderThan, maxBytes, kind = 'proxy' }: Keep,
): Promise<SessionInfo[]> {
  const deleted: SessionInfo[] = [];
  let bytes = 0;
  for (const info of await store.list()) {
    if (info.kind !== kind) continue;
    bytes += info.bytes;
    if (info.updated >= olderThan && bytes <= maxBytes) continue;
    // Another proxy may have used or deleted it in the meantime.
    const now = await store.info(info.id);
    if (now === undefined || now.last !== info.last) continue;
    try {
      await store.delete(info.id);
      deleted.push(info);
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'UNKNOWN_SESSION') throw error;
    }
  }
  return deleted;
}
