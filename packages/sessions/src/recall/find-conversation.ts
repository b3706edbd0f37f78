import { isConversation, type SessionInfo, type SessionStore } from '../store.ts';

/** What a conversation's random id consists of, in handles such as `m41.1@ID` and at the end of its session's id. */
const CONVERSATION = /^\w{1,40}$/;

/** The conversation of the proxy or a framework whose session id ends with `-` and this id; undefined if there is none. */
export async function findConversation(
  store: Pick<SessionStore, 'list'>,
  id: string,
): Promise<SessionInfo | undefined> {
  if (!CONVERSATION.test(id)) return undefined;
  const suffix = `-${id}`;
  // A store that wraps another may not know `suffix`.
  return (await store.list({ suffix })).find((info) => isConversation(info.kind) && info.id.endsWith(suffix));
}
