import type { SessionStore } from '@holdfast/sessions';
import { crewConversation } from '../history/bound.ts';
import { crewSessionInfo } from './session.ts';

/**
 * Undoes the newest fold of a session between two requests, or redoes the one undone last. False if there is none. Throws
 * UNKNOWN_SESSION, BAD_STATE, and STORE_CONFLICT if another process wrote meanwhile.
 */
export async function travelInSession(store: SessionStore, id: string, way: 'undo' | 'redo'): Promise<boolean> {
  await crewSessionInfo(store, id);
  const conversation = crewConversation({ warn() {} }, { limit: 0, strategy: 'fold' }, { store, session: id });
  await conversation.refresh({ sketches: false });
  return (await conversation[way]()) !== undefined;
}
