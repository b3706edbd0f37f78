import {
  eachMessage,
  maskEntry,
  type NewSession,
  type SessionInfo,
  type SessionStore,
  type SessionWriter,
  sessionWriter,
  unknownSession,
} from '@holdfast/sessions';
import { HoldfastError } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { CrewEvent } from '../events.ts';
import type { CrewExecutor } from '../executor.ts';
import type { KeptHistory } from '../history/kept-history.ts';
import { type Turn, whoseTurn } from '../routing/whose-turn.ts';
import { isWarm } from '../usage/said-before.ts';
import type { AgentUsage } from '../usage/usage.ts';
import { type Said, saidAfter, saidInSession, sessionHistory } from './session-history.ts';

/** So many of a session's newest messages are read for a request; the crew's own limit is far below. */
const READ = 1_000;
const DIALECT = 'openai-chat';

/** A session as a crew sees it. */
export interface CrewSession {
  readonly info: SessionInfo;
  /** Its newest messages, oldest first. */
  readonly history: readonly CrewMessage[];
  /** Who goes on: an agent where a request was cut off, or nobody before the user has spoken. */
  readonly turn: Turn;
}

/** A new session for a crew: its messages are those of Chat Completions, with the name of who spoke. Throws STORE_CONFLICT. */
export async function createCrewSession(store: SessionStore, session: NewSession = {}): Promise<SessionInfo> {
  const { id } = await store.create(session);
  await store.append(id, [{ type: 'model', provider: 'crew', model: 'crew', dialect: DIALECT }], 0);
  const info = await store.info(id);
  if (!info) throw unknownSession(id);
  return info;
}

/** What a list says of a crew's session. Throws UNKNOWN_SESSION, and BAD_STATE for one that is no crew's. */
export async function crewSessionInfo(store: SessionStore, id: string): Promise<SessionInfo> {
  const info = await store.info(id);
  if (!info) throw unknownSession(id);
  if (info.provider === 'crew') return info;
  const text = `session ${id} is no crew's: make one with POST /api/sessions, or name another`;
  throw new HoldfastError('BAD_STATE', text, { session: id });
}

/** Reads a session. Throws UNKNOWN_SESSION, and BAD_STATE for one that is no crew's. */
export async function readCrewSession(
  executor: Pick<CrewExecutor, 'crew'>,
  store: SessionStore,
  id: string,
): Promise<CrewSession> {
  const info = await crewSessionInfo(store, id);
  const history: CrewMessage[] = [];
  for await (const { message } of eachMessage(store, id, Math.max(0, info.messages - READ)))
    history.push(message as unknown as CrewMessage);
  return { info, history, turn: whoseTurn(executor.crew, history) };
}

/** Reads a session for a request. Throws as `runInSession` does before anything is run. */
export async function sessionFor(
  executor: Pick<CrewExecutor, 'crew'>,
  store: SessionStore,
  id: string,
  input: string | undefined,
): Promise<CrewSession> {
  const session = await readCrewSession(executor, store, id);
  const { history, turn } = session;
  if (input === undefined && (history.length === 0 || turn.type === 'end' || turn.type === 'pause')) {
    const text = `session ${id} waits for the user: give an input`;
    throw new HoldfastError('BAD_STATE', text, { session: id });
  }
  return session;
}

/**
 * Runs a request in a session. Each message is in the store before anything else happens, and so is each fold of the history,
 * so whoever comes next, in any process, goes on from there; without an input, what was cut off goes on. Throws
 * UNKNOWN_SESSION, BAD_STATE if there is nothing to go on with, and STORE_CONFLICT if somebody else wrote meanwhile.
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
  const window = executor.crew.strategy === 'rolling' ? undefined : await sessionHistory(store, session);
  let said = await saidInSession(store, session);
  const record: KeptHistory['record'] = async (entries) => {
    const kept = store.mask_keys ? entries.map(maskEntry) : entries;
    await writer.append(kept);
    said = saidAfter(said, kept);
    return kept;
  };
  const given = window ? [] : history;
  const kept = { record, said: said.chars, warm: isWarm(info.updated), ...(window ? { conversation: window } : {}) };
  for await (const event of executor.executeStream(input, given, { ...(signal ? { signal } : {}), kept })) {
    if (event.type === 'result') await keepUsage(writer, event.result.usage.crew, said);
    yield event;
  }
}

async function keepUsage(
  writer: SessionWriter,
  { tokens, cost }: Pick<AgentUsage, 'tokens' | 'cost'>,
  state: Said,
): Promise<void> {
  const used = {
    input: tokens.inputTokens,
    output: tokens.outputTokens,
    cache_read: tokens.cacheReadTokens,
    cache_write: tokens.cacheWriteTokens,
  };
  await writer.append([{ type: 'usage', tokens: used, ...(cost === undefined ? {} : { cost }), state }]);
}
