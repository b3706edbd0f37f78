import { restoreConversation, type SessionStore, sessionArchive } from '@holdfast/sessions';
import { ConversationWindow } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import { CREW_DIALECT } from '../history/note.ts';
import { crewSessionInfo } from './session.ts';

/**
 * Undoes the newest fold of a session between two requests, or redoes the one undone last. False if there is none. Throws
 * UNKNOWN_SESSION, BAD_STATE, and STORE_CONFLICT if another process wrote meanwhile.
 */
export async function travelInSession(store: SessionStore, id: string, way: 'undo' | 'redo'): Promise<boolean> {
  const info = await crewSessionInfo(store, id);
  const { window: state, pending } = await restoreConversation(store, info, CREW_DIALECT);
  const parts = { dialect: CREW_DIALECT, archive: sessionArchive<CrewMessage>(store, id, CREW_DIALECT), state };
  const window = new ConversationWindow<CrewMessage>({ max_messages: 0 }, { ...parts, logger: { warn() {} } });
  await window.adopt(pending, { offset: state.seen });
  const receipt = await window[way]();
  if (!receipt) return false;
  const { seen, turns, hold } = window.state();
  const type = way === 'undo' ? 'unfold' : 'refold';
  await store.append(id, [{ type, receipt, seen, turns, ...(hold ? { hold } : {}) }], info.last);
  return true;
}
