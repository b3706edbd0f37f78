import type { Logger } from '@holdfast/agent';
import { createConversationLog } from '@holdfast/agent/chat';
import { ConversationWindow, EMPTY_DIGEST, isHoldfastError, type StrategyName, type WindowState } from 'holdfast';
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

/** A window over the crew's messages. */
export function historyWindow(
  logger: Pick<Logger, 'warn'>,
  { limit, strategy = 'rolling' }: { readonly limit?: number; readonly strategy?: StrategyName } = {},
  state?: WindowState<CrewMessage>,
) {
  // Every strategy gets the short tail that `fold` has by default: with a longer one, every few requests would fold.
  const sizes =
    limit === undefined ? {} : { max_messages: limit, preserve_last_n: Math.min(20, Math.floor(limit / 3)) };
  const parts = { dialect: CREW_DIALECT, logger, ...(state ? { state } : {}) };
  return new ConversationWindow<CrewMessage>({ strategy, ...sizes }, parts);
}

/**
 * The newest whole turns within a limit. Leading system messages come first: as many as the newest turn leaves room for, but
 * at most half of the limit if turns need the rest. Only a newest turn that is longer exceeds the limit. Pure, except for
 * what the window logs.
 */
export function pruned(
  window: Pick<ConversationWindow<CrewMessage>, 'pruneHistory'>,
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
  const window = historyWindow(logger);
  return (messages, added) => {
    const all = [...messages, ...added];
    return all.length <= limit ? all : pruned(window, all, limit).trimmed;
  };
}

/** Folds older messages into a note. Continues from the window in the session's log or, without one, from the note in the history. */
export function folding(setup: BoundSetup): Bound {
  const { logger, kept } = setup;
  const roll = rolling(setup);
  const saved = kept?.conversation;
  let log = createConversationLog<CrewMessage>(saved ? kept.record : undefined, saved?.dropped);
  let window = saved && historyWindow(logger, setup, saved.window);
  /** Messages that the window has not seen yet. */
  let pending: readonly CrewMessage[] = saved?.pending ?? [];
  let seen = saved?.window.seen ?? 0;
  // A session's log has what its note stands for.
  const carrying = kept ? undefined : noteCarrier();
  const start = (messages: readonly CrewMessage[], left?: Parameters<typeof noteState>[1]) => {
    const state = noteState(messages, left);
    window = historyWindow(logger, setup, state);
    seen = state?.seen ?? 0;
    pending = state ? [] : messages;
    return window;
  };
  return async (messages, added) => {
    const own = window ?? start(messages);
    try {
      const { messages: view, metrics, receipt } = await own.fit([...pending, ...added], { offset: seen });
      seen = metrics.totalMessages;
      pending = [];
      if (receipt) await log.fold(receipt, () => own.state());
      return carrying?.(view, () => own.state()) ?? view;
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw error;
      // What no fold may touch, such as the newest turn, exceeds the limit by itself.
      const left = (await roll(messages, added)).filter((message) => !isNote(message));
      const { digest = EMPTY_DIGEST } = own.state().log.at(-1) ?? {};
      const count = seen + pending.length + added.length - left.length;
      // Positions no longer match the log, so later folds are not written to it: the next request ignores this one.
      log = createConversationLog<CrewMessage>(undefined);
      start(left, { messages: count, digest });
      return left;
    }
  };
}
