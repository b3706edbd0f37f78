import { eachEntry, type SessionStore, sqlite } from '@holdfast/sessions';
import { databaseLines, isStore } from '@holdfast/sessions/foreign';
import { messageReader } from './message-list.ts';
import type { ReadOptions } from './read-transcript.ts';
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

/** The conversations of a database: Holdfast's own, or one with a table `sessions (…, messages)`. Throws BAD_STATE for others. */
export async function* readDatabase(
  path: string,
  { name = path, onRemark }: ReadOptions = {},
): AsyncGenerator<Recording> {
  if (await isStore(path)) {
    const store = await sqlite(path);
    try {
      for (const { id } of await store.list()) {
        const recording = await readSession(store, id, onRemark);
        if (recording) yield { ...recording, name: `${name}#${id}` };
      }
    } finally {
      await store.close();
    }
    return;
  }
  const remarks = createRemarks(path);
  const reader = messageReader(name, remarks.tell);
  let row = 0;
  for await (const line of databaseLines(path)) yield* reader.take(++row, JSON.parse(line));
  yield* reader.end();
  for (const remark of remarks.list()) onRemark?.(remark);
}
