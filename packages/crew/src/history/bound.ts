import type { Logger } from '@holdfast/agent';
import { Conversation, type ConversationParts, type SessionStore } from '@holdfast/sessions';
import { EMPTY_DIGEST, isHoldfastError, type StrategyName } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { KeptHistory } from './history.ts';
import { CREW_DIALECT, isNote, noteCarrier, noteState } from './note.ts';

export interface BoundSetup {
  readonly limit: number;
  readonly strategy: StrategyName;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly kept?: KeptHistory;
}

/** Appends to a history and returns what stays of it. Each call gets the result of the one before. */
export type Bound = (
  messages: readonly CrewMessage[],
  added: readonly CrewMessage[],
) => readonly CrewMessage[] | Promise<readonly CrewMessage[]>;

/** A conversation of the crew's messages: in memory, or in a session. */
export function crewConversation(
  logger: Pick<Logger, 'warn'>,
  bounds: Partial<Pick<BoundSetup, 'limit' | 'strategy'>> = {},
  place?: { readonly store: SessionStore; readonly session: string },
): Conversation<CrewMessage> {
  const kept = place && ({ store: place.store, durability: 'strict', provider: 'crew' } as const);
  return new Conversation<CrewMessage>(partsOf(logger, bounds), kept, place?.session);
}

function partsOf(
  logger: Pick<Logger, 'warn'>,
  { limit, strategy = 'rolling' }: Partial<Pick<BoundSetup, 'limit' | 'strategy'>>,
): ConversationParts<CrewMessage> {
  // Every strategy gets the short tail that `fold` has by default: with a longer one, every few requests would fold.
  const sizes =
    limit === undefined ? {} : { max_messages: limit, preserve_last_n: Math.min(20, Math.floor(limit / 3)) };
  return { dialect: CREW_DIALECT, config: { strategy, ...sizes }, logger };
}

/**
 * The newest whole turns within a limit. Leading system messages come first: as many as the newest turn leaves room for, but
 * at most half of the limit if turns need the rest. Only a newest turn that is longer exceeds the limit. Pure, except for
 * what the window logs.
 */
export function pruned(
  window: Pick<Conversation<CrewMessage>, 'pruneHistory'>,
  messages: readonly CrewMessage[],
  limit: number,
): { readonly trimmed: CrewMessage[]; readonly evicted: CrewMessage[] } {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const lead = first < 0 ? messages.length : first;
  // The window itself refuses a limit below 1.
  if (lead === 0 || messages.length <= limit || !(limit >= 1)) return window.pruneHistory(messages, limit);
  const rest = messages.slice(lead);
  const least = window.pruneHistory(rest, 1).trimmed.length;
  const room = Math.max(0, limit - Math.max(least, Math.min(rest.length, Math.ceil(limit / 2))));
  const system = messages.slice(0, Math.min(lead, room));
  const { trimmed, evicted } = window.pruneHistory(rest, Math.max(1, limit - system.length));
  return { trimmed: [...system, ...trimmed], evicted: [...messages.slice(system.length, lead), ...evicted] };
}

/** Keeps the newest whole turns, whatever that costs in prompt cache misses. */
export function rolling({ limit, logger }: BoundSetup): Bound {
  const window = crewConversation(logger);
  return (messages, added) => {
    const all = [...messages, ...added];
    return all.length <= limit ? all : pruned(window, all, limit).trimmed;
  };
}

/** Folds older messages into a note. Continues the session's conversation or, without one, from the note in the history. */
export function folding(setup: BoundSetup): Bound {
  const { limit, logger, kept } = setup;
  const roll = rolling(setup);
  let conversation = kept?.conversation;
  conversation?.reopen(partsOf(logger, setup));
  // A session's log has what its note stands for.
  const carrying = kept ? undefined : noteCarrier();
  const start = (messages: readonly CrewMessage[], left?: Parameters<typeof noteState>[1]) => {
    const window = noteState(messages, left);
    conversation = crewConversation(logger, setup);
    conversation.reopen(partsOf(logger, setup), window ? { window } : { pending: messages });
    return conversation;
  };
  return async (messages, added) => {
    const own = conversation ?? start(messages);
    own.take(added);
    const view = await viewWithin(own, limit);
    if (view) return carrying?.(view, () => own.state().window) ?? view;
    // What no fold may touch, such as the newest turn, exceeds the limit by itself.
    const left = (await roll(messages, added)).filter((message) => !isNote(message));
    const { digest = EMPTY_DIGEST } = own.state().window.log.at(-1) ?? {};
    // Positions no longer match the log, so later folds are not written to it: the next request ignores this one.
    start(left, { messages: own.messages - left.length, digest });
    return left;
  };
}

/** The view of a conversation; undefined where what no fold may touch is over the limit by itself. */
async function viewWithin(own: Conversation<CrewMessage>, limit: number): Promise<readonly CrewMessage[] | undefined> {
  try {
    const { messages } = await own.view();
    return messages.length <= limit ? messages : undefined;
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'OVER_BUDGET') return undefined;
    throw error;
  }
}
