import {
  type Conversation,
  dialectFor,
  eachEntry,
  openConversations,
  type SessionStore,
  unknownSession,
  type WireMessage,
} from '@holdfast/sessions';
import { wireFormatOf } from './wire-format.ts';

/**
 * The conversation of a session, or of a new one, in its own wire format; plain text fits whichever is `spoken`. Throws
 * UNKNOWN_SESSION, and BAD_STORE if the log is damaged.
 */
export async function openSession(
  store: SessionStore,
  session: string | undefined,
  spoken: string | undefined,
): Promise<Conversation<WireMessage>> {
  const info = session === undefined ? undefined : await store.info(session);
  if (session !== undefined && !info) throw unknownSession(session);
  const dialect = dialectFor((info && (await wireFormatOf(store, info))) ?? spoken);
  return openConversations<WireMessage>({ store, dialect: dialect as never, max_messages: 0 }).open(session);
}

/** The newest state of a provider that keeps its own conversation. */
export async function ownState(store: SessionStore, session: string): Promise<unknown> {
  for await (const { entry } of eachEntry(store, session, { types: ['usage'], reverse: true }))
    if (entry.state !== undefined) return entry.state;
  return undefined;
}

/** Records requests of a conversation as they are sent. What cannot be written is its `failure`, and stops what comes next. */
export function requestsOf(conversation: Conversation<WireMessage>) {
  return async (body: string): Promise<number | undefined> => {
    const request = await conversation.sent(body).catch(() => undefined);
    return typeof request === 'number' ? request : undefined;
  };
}
