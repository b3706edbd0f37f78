import type { Logger } from '@holdfast/agent';
import { createLog } from '@holdfast/agent';
import { ConversationWindow, EMPTY_DIGEST, isHoldfastError, type StrategyName, type WindowState } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { KeptHistory } from './kept-history.ts';
import { CREW_DIALECT, isNote } from './note.ts';
import { noteState } from './note-state.ts';
import { pruned } from './prune.ts';

export interface BoundSetup {
  readonly limit: number;
  readonly strategy: StrategyName;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Where the history is kept, and its window stood. */
  readonly kept?: KeptHistory;
}

/** Bounds a history: all of it as it stood, with what is new. Gives what is left, and is told each time what it gave. */
export type Bound = (
  messages: readonly CrewMessage[],
  fresh: readonly CrewMessage[],
) => readonly CrewMessage[] | Promise<readonly CrewMessage[]>;

/** A window for what is done with the crew's messages. */
export function historyWindow(
  logger: Pick<Logger, 'warn'>,
  config: { readonly limit?: number; readonly strategy?: StrategyName } = {},
  state?: WindowState<CrewMessage>,
) {
  const { limit, strategy = 'rolling' } = config;
  const sizes =
    limit === undefined ? {} : { max_messages: limit, preserve_last_n: Math.min(20, Math.floor(limit / 3)) };
  return new ConversationWindow<CrewMessage>(
    { strategy, ...sizes },
    { dialect: CREW_DIALECT, logger, ...(state ? { state } : {}) },
  );
}

/** The newest whole turns, whatever it costs the prompt cache. */
export function rolling({ limit, logger }: BoundSetup): Bound {
  const window = historyWindow(logger);
  return (messages, fresh) => {
    const all = [...messages, ...fresh];
    return all.length <= limit ? all : pruned(window, all, limit).trimmed;
  };
}

/**
 * A window keeps it, and speaks for what went in a note. It goes on from the window that the log of the history holds or, where
 * there is none, from the note that stands in it.
 */
export function folding(setup: BoundSetup): Bound {
  const { logger, kept } = setup;
  const plain = rolling(setup);
  const saved = kept?.conversation;
  let log = createLog<CrewMessage>(saved ? kept.record : undefined, saved?.dropped);
  let window = saved && historyWindow(logger, setup, saved.window);
  /** What the window has not seen. */
  let pending: readonly CrewMessage[] = saved?.pending ?? [];
  let seen = saved?.window.seen ?? 0;
  const begin = async (messages: readonly CrewMessage[], before?: Parameters<typeof noteState>[1]) => {
    const state = await noteState(messages, before);
    window = historyWindow(logger, setup, state);
    seen = state?.seen ?? 0;
    pending = state ? [] : messages;
    return window;
  };
  return async (messages, fresh) => {
    const own = window ?? (await begin(messages));
    try {
      const { messages: view, metrics, receipt } = await own.fit([...pending, ...fresh], { offset: seen });
      seen = metrics.totalMessages;
      pending = [];
      if (receipt) await log.fold(receipt, () => own.state());
      return view;
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw error;
      // What no fold may touch is longer than the limit by itself: the newest turn alone may be.
      const left = (await plain(messages, fresh)).filter((message) => !isNote(message));
      const { digest = EMPTY_DIGEST } = own.state().log.at(-1) ?? {};
      const count = seen + pending.length + fresh.length - left.length;
      // Its places are no longer those of the log: whoever comes next goes on from there as if this had not been.
      log = createLog<CrewMessage>(undefined);
      await begin(left, { count, digest });
      return left;
    }
  };
}
