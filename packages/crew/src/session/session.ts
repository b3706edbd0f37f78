import {
  createRequestRecorder,
  eachMessage,
  maskEntry,
  type NewSession,
  type SessionInfo,
  type SessionStore,
  sessionWriter,
  unknownSession,
} from '@holdfast/sessions';
import { HoldfastError } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { CrewEvent } from '../events.ts';
import type { CrewExecutor } from '../executor.ts';
import type { KeptHistory } from '../history/history.ts';
import { type NextTurn, whoseTurn } from '../routing/whose-turn.ts';
import { isCacheWarm } from '../usage/chars-said.ts';
import { saidAfter, saidInSession, sessionHistory } from './session-history.ts';

/** Number of a session's newest messages to read for a request; far above the crew's own limit. */
const MAX_READ = 1_000;

/** A session as a crew sees it. */
export interface CrewSession {
  readonly info: SessionInfo;
  /** Its newest messages, oldest first. */
  readonly history: readonly CrewMessage[];
  /** Who acts next; an agent if a request was interrupted. */
  readonly turn: NextTurn;
}

/** Creates a session for a crew. Its messages are those of Chat Completions, with the speaker's name. Throws STORE_CONFLICT. */
export async function createCrewSession(store: SessionStore, session: NewSession = {}): Promise<SessionInfo> {
  const { id } = await store.create(session);
  await store.append(id, [{ type: 'model', provider: 'crew', model: 'crew', dialect: 'openai-chat' }], 0);
  return crewSessionInfo(store, id);
}

/** The info of a crew's session. Throws UNKNOWN_SESSION, and BAD_STATE if the session does not belong to a crew. */
export async function crewSessionInfo(store: SessionStore, id: string): Promise<SessionInfo> {
  const info = await store.info(id);
  if (!info) throw unknownSession(id);
  if (info.provider === 'crew') return info;
  throw badState(id, 'does not belong to a crew: create one with POST /api/sessions, or choose another');
}

/** Reads a session. Throws UNKNOWN_SESSION, and BAD_STATE if the session does not belong to a crew. */
export async function readCrewSession(
  executor: Pick<CrewExecutor, 'crew'>,
  store: SessionStore,
  id: string,
): Promise<CrewSession> {
  const info = await crewSessionInfo(store, id);
  const history: CrewMessage[] = [];
  for await (const { message } of eachMessage(store, id, Math.max(0, info.messages - MAX_READ)))
    history.push(message as unknown as CrewMessage);
  return { info, history, turn: whoseTurn(executor.crew, history) };
}

/** Reads a session for a request, and throws as `runInSession` does before it runs anything. */
export async function sessionFor(
  executor: Pick<CrewExecutor, 'crew'>,
  store: SessionStore,
  id: string,
  input: string | undefined,
): Promise<CrewSession> {
  const session = await readCrewSession(executor, store, id);
  const { history, turn } = session;
  if (input === undefined && (history.length === 0 || turn.type === 'end' || turn.type === 'pause'))
    throw badState(id, 'waits for the user: pass an input');
  return session;
}

function badState(id: string, text: string): HoldfastError {
  return new HoldfastError('BAD_STATE', `session ${id} ${text}`, { session: id });
}

/**
 * Runs a request in a session. Each message, and each fold, is stored before anything else happens, so any process can
 * continue from there; without an input, an interrupted request is resumed. Throws UNKNOWN_SESSION, BAD_STATE if there is
 * nothing to resume, and STORE_CONFLICT if somebody else wrote meanwhile.
 */
export async function* runInSession(
  executor: CrewExecutor,
  store: SessionStore,
  id: string,
  input: string | undefined,
  signal?: AbortSignal,
): AsyncGenerator<CrewEvent, void> {
  const session = await sessionFor(executor, store, id, input);
  const { info, history } = session;
  const writer = await sessionWriter(store, id, info.last);
  const conversation = executor.crew.strategy === 'rolling' ? undefined : await sessionHistory(store, session);
  let said = await saidInSession(store, session);
  const requests = createRequestRecorder(store, id);
  const record: KeptHistory['record'] = async (entries) => {
    const kept = store.mask_keys ? entries.map(maskEntry) : entries;
    requests.appended(kept, await writer.append(kept));
    said = saidAfter(said, kept);
    return kept;
  };
  const kept = {
    record,
    // What cannot be written fails the next record.
    onRequest: (body: string) => requests.sent(writer, body).catch(() => undefined),
    said: said.chars,
    warm: isCacheWarm(info.updated),
    ...(conversation ? { conversation } : {}),
  };
  const options = { ...(signal ? { signal } : {}), kept };
  for await (const event of executor.executeStream(input, conversation ? [] : history, options)) {
    if (event.type === 'result') {
      const { tokens, cost } = event.result.usage.crew;
      const used = {
        input: tokens.inputTokens,
        output: tokens.outputTokens,
        cache_read: tokens.cacheReadTokens,
        cache_write: tokens.cacheWriteTokens,
      };
      await writer.append([{ type: 'usage', tokens: used, ...(cost === undefined ? {} : { cost }), state: said }]);
    }
    yield event;
  }
}
