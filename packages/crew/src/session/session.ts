import { sessionTokens } from '@holdfast/models';
import {
  type ConversationState,
  eachEntry,
  eachMessage,
  type NewSession,
  restoreConversation,
  type SessionEntry,
  type SessionInfo,
  type SessionStore,
  unknownSession,
} from '@holdfast/sessions';
import { HoldfastError, isHoldfastError } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { CrewEvent } from '../events.ts';
import type { CrewExecutor } from '../executor.ts';
import { crewConversation } from '../history/bound.ts';
import type { KeptHistory } from '../history/history.ts';
import { CREW_DIALECT } from '../history/note.ts';
import { type NextTurn, whoseTurn } from '../routing/whose-turn.ts';
import { charsShown, isCacheWarm } from '../usage/chars-said.ts';

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
 * nothing to resume, and STORE_CONFLICT if another process wrote in the meantime.
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
  const conversation = crewConversation({ warn() {} }, {}, { store, session: id });
  const state = executor.crew.strategy === 'rolling' ? undefined : await sessionHistory(store, session);
  await conversation.attach(info, state ?? {});
  let said = await saidInSession(store, session);
  const record: KeptHistory['record'] = async (entries) => {
    const kept = await conversation.record(entries);
    said = saidAfter(said, kept);
    return kept;
  };
  const kept = {
    record,
    // What cannot be written fails the next record.
    onRequest: async (body: string) => {
      const request = await conversation.sent(body).catch(() => undefined);
      return typeof request === 'number' ? request : undefined;
    },
    said: said.chars,
    warm: isCacheWarm(info.updated),
    ...(state ? { conversation } : {}),
  };
  const options = { ...(signal ? { signal } : {}), kept };
  for await (const event of executor.executeStream(input, state ? [] : history, options)) {
    if (event.type === 'result') {
      const { tokens, cost, everything } = event.result.usage.crew;
      const used = { tokens: sessionTokens(tokens), ...(cost === undefined ? {} : { cost }) };
      // For the inspector: without folds, only this says how much of the history agents still see.
      const seen = { shown: event.result.history.length, ...(everything === undefined ? {} : { everything }) };
      await conversation.record([{ type: 'usage', ...used, state: { ...said, ...seen } }]);
    }
    yield event;
  }
}

type State = Partial<ConversationState<CrewMessage>>;

/**
 * A session's history with its folds, as its last window had it; without folds, the newest messages. Undefined if no window
 * can continue from what the session holds.
 */
async function sessionHistory(store: SessionStore, { info, history }: CrewSession): Promise<State | undefined> {
  const state =
    info.folds > 0
      ? await restoreConversation<CrewMessage>(store, info, CREW_DIALECT)
      : unfolded(info.messages, history);
  return (await canContinue(state)) ? state : undefined;
}

/** Counts all messages before those that were read as removed; there is no note for them yet. */
function unfolded(messages: number, history: readonly CrewMessage[]): State {
  // The first messages read may be results of calls that were not.
  const first = messages === history.length ? 0 : history.findIndex(({ role }) => role !== 'tool');
  const pending = history.slice(Math.max(0, first));
  const { window } = crewConversation({ warn() {} }).state();
  return { pending, window: { ...window, seen: messages - pending.length } };
}

/** False for sessions that no crew could have written, such as some imported ones. */
async function canContinue(state: State): Promise<boolean> {
  const logger = { warn() {} };
  try {
    const trial = crewConversation(logger, { limit: 0, strategy: 'fold' });
    await trial.attach(undefined, state);
    await trial.view();
    return true;
  } catch (error) {
    if (isHoldfastError(error) && (error.code === 'INVALID_HISTORY' || error.code === 'BAD_STATE')) return false;
    throw error;
  }
}

/** Characters said in the first `messages` messages of a session, as shown to agents. */
interface SaidTotal {
  readonly messages: number;
  readonly chars: number;
}

/** The total up to now, from what the last request stored or, without that, estimated from the messages that were read. */
async function saidInSession(store: SessionStore, { info, history }: CrewSession): Promise<SaidTotal> {
  const { messages } = info;
  for await (const { entry } of eachEntry(store, info.id, { types: ['usage'], reverse: true, limit: 1 })) {
    const known = entry.type === 'usage' ? (entry.state as Partial<SaidTotal> | undefined) : undefined;
    if (typeof known?.messages !== 'number' || typeof known.chars !== 'number') break;
    const later = Math.min(history.length, Math.max(0, messages - known.messages));
    return { messages, chars: known.chars + charsShown(history.slice(history.length - later)) };
  }
  return { messages, chars: (charsShown(history) / Math.max(1, history.length)) * messages };
}

/** The total after these entries. Pure. */
function saidAfter({ messages, chars }: SaidTotal, entries: readonly SessionEntry[]): SaidTotal {
  const said = entries.flatMap((entry) => (entry.type === 'message' ? [entry.message as unknown as CrewMessage] : []));
  return { messages: messages + said.length, chars: chars + charsShown(said) };
}
