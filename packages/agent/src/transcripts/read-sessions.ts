import { eachEntry, type SessionStore } from '../sessions/store.ts';
import { createRemarks, type Recording, type Remark } from './recording.ts';
import { sessionReader } from './session-entries.ts';

/** The conversation of one session of a store; undefined if no model has answered in it. Throws UNKNOWN_SESSION. */
export async function readSession(
  store: Pick<SessionStore, 'read'>,
  session: string,
  onRemark?: (remark: Remark) => void,
): Promise<Recording | undefined> {
  const remarks = createRemarks(`session ${session}`);
  const reader = sessionReader(session, remarks.tell);
  for await (const stored of eachEntry(store, session)) reader.take(stored.seq, stored);
  const [recording] = reader.end();
  for (const remark of remarks.list()) onRemark?.(remark);
  return recording;
}
