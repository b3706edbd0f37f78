import { eachEntry, readUsage, type SessionEntry, type SessionStore, sqlite } from '@holdfast/sessions';
import { databaseLines, fieldsOf, isStore } from '@holdfast/sessions/foreign';
import { DIALECT_NAMES, type DialectName } from 'holdfast';
import { createBuilder } from './builder.ts';
import { messageReader } from './message-list.ts';
import type { TranscriptOptions } from './read-transcript.ts';
import { createRemarks, type Reader, type Recording, type Tell, type TranscriptRemark } from './recording.ts';
import { chatMessages, wireOf } from './to-chat.ts';

/** Reads entries of Holdfast's sessions, as `sessions export` writes them and as a store returns them. */
export function sessionReader(name: string, tell: Tell): Reader {
  const builder = createBuilder(name, 'holdfast', tell);
  let wire: DialectName | undefined;
  // Where each message of the log begins in the conversation: one with results becomes several there.
  let places: number[] = [];
  const end = (): readonly Recording[] => {
    places = [];
    return builder.end();
  };
  const add = (message: unknown): void => {
    const own = wireOf(message) ?? wire ?? 'openai-chat';
    const isItem = own === 'openai-responses';
    if (!isItem || fieldsOf(message).type?.toString().endsWith('_output')) builder.endItems();
    places.push(builder.count());
    if (isItem) builder.addItem(message);
    else builder.add(chatMessages(message, own));
  };
  return {
    end,
    take(line, value) {
      const { holdfast, entry, time } = fieldsOf(value);
      if (holdfast === 'session') return end();
      builder.at(line, time);
      const one = entry as SessionEntry;
      if (one.type === 'message') add(one.message);
      else if (one.type === 'usage') {
        const { input, cacheRead: read, cacheWrite } = readUsage(one).tokens;
        builder.usage({ input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: cacheWrite });
      } else if (one.type === 'model') {
        builder.model(one.model);
        wire = DIALECT_NAMES.find((known) => known === one.dialect) ?? wire;
      } else if (one.type === 'rewind') {
        builder.rewind(places[one.to] ?? Number.POSITIVE_INFINITY);
        places = places.slice(0, one.to);
      }
      return [];
    },
  };
}

/** The conversation of one session in a store; undefined if no model has answered in it. Throws UNKNOWN_SESSION. */
export async function readSession(
  store: Pick<SessionStore, 'read'>,
  session: string,
  onRemark?: (remark: TranscriptRemark) => void,
): Promise<Recording | undefined> {
  const remarks = createRemarks(`session ${session}`);
  const reader = sessionReader(session, remarks.tell);
  for await (const stored of eachEntry(store, session)) reader.take(stored.seq, stored);
  const [recording] = reader.end();
  for (const remark of remarks.list()) onRemark?.(remark);
  return recording;
}

/** The conversations in a database: Holdfast's own, or one with a table `sessions (…, messages)`. Throws BAD_STATE for others. */
export async function* readDatabase(
  path: string,
  { name = path, onRemark }: TranscriptOptions = {},
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
