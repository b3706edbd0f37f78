import { isConversation, type SessionInfo, type SessionStore } from '../store.ts';

/** What a conversation's random id consists of, in handles such as `m41.1@ID` and at the end of its session's id. */
const CONVERSATION = /^\w{1,40}$/;

/** Which sessions an id may name: conversations of the proxy and of frameworks, whose ids nobody can guess, or chats, runs and crews, too. */
export type Reach = 'conversations' | 'all';

/**
 * The conversation of the proxy or a framework whose session id ends with `-` and this id, or with `all` the session that has
 * this id; undefined if there is none.
 */
export async function findConversation(
  store: Pick<SessionStore, 'list' | 'info'>,
  id: string,
  reach: Reach = 'conversations',
): Promise<SessionInfo | undefined> {
  const suffix = `-${id}`;
  // A store that wraps another may not know `suffix`.
  const ending = CONVERSATION.test(id) ? await store.list({ suffix }) : [];
  const found = ending.find((info) => isConversation(info.kind) && info.id.endsWith(suffix));
  return found ?? (reach === 'all' ? await store.info(id) : undefined);
}
