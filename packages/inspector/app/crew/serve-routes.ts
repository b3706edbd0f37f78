import type { MessagePage, SessionDetail } from '../../src/api/types.ts';
import { ask, get, jsonBody, post, SERVE } from '../shell/api.ts';
import { readStream } from '../shell/event-stream.ts';
import { talkOf, type Utterance } from './talk.ts';

/** Who acts next in a session. */
export interface NextTurn {
  readonly type: 'agent' | 'group' | 'end' | 'pause';
  readonly agent?: string;
}

/** A running request: the last event received, and a way to stop listening. */
export interface Asked {
  last: string;
  readonly leave: AbortController;
}

/** An event of a request, unread. */
export interface SentEvent {
  readonly type: string;
  readonly data: string;
}

const LIMIT = 200;

/** The newest messages before a position, and the position of the first. */
export async function stored(id: string, before?: number): Promise<{ said: readonly Utterance[]; first: number }> {
  const base = `sessions/${encodeURIComponent(id)}`;
  const end = before ?? (await get<SessionDetail>(base)).messages;
  const { messages } = await get<MessagePage>(`${base}/messages?before=${end}&limit=${LIMIT}`);
  return { said: talkOf(messages), first: messages[0]?.index ?? 0 };
}

export async function turnOf(id: string): Promise<NextTurn> {
  return (await get<{ turn: NextTurn }>(`sessions/${encodeURIComponent(id)}`, undefined, SERVE)).turn;
}

/** Creates a session named after its first words. */
export async function newSession(text: string): Promise<string> {
  const title = text.split('\n')[0]?.trim().slice(0, 100) || 'New conversation';
  return (await post<{ id: string }>('sessions', { title }, SERVE)).id;
}

/** Reads the events of a request until `tell` says that it is over; connects again after a break. Throws ApiProblem. */
export async function follow(body: unknown, asked: Asked, tell: (sent: SentEvent) => boolean): Promise<void> {
  const { signal } = asked.leave;
  let response = await ask('crew/stream', { ...jsonBody(body), signal }, SERVE);
  for (;;) {
    for await (const sent of readStream(response)) {
      asked.last = sent.id || asked.last;
      if (sent.data !== '' && tell(sent)) return;
    }
    if (asked.last === '' || signal.aborted) return;
    response = await ask('crew/stream', { headers: { 'last-event-id': asked.last }, signal }, SERVE);
  }
}

/** The server cancels the request and says so in its stream; if it cannot be reached, leaving cancels it. */
export async function cancel({ last, leave }: Asked): Promise<void> {
  if (last === '') return leave.abort();
  const init = { method: 'DELETE', headers: { 'last-event-id': last } };
  await ask('crew/stream', init, SERVE).catch(() => leave.abort());
}
