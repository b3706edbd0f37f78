import { ConversationWindow, isHoldfastError, openaiChat, repairHistory, type StrategyName } from 'holdfast';
import type { Logger } from '../providers/provider.ts';
import { cleanMessage } from './clean-message.ts';
import type { CrewMessage } from './crew.ts';
import { pruned } from './prune.ts';

/** Where a message comes into the history. */
export type Place = 'input' | 'answer' | 'tools' | 'parallel' | 'hand-off';

/** What an append did: sizes of the history before it, with it, and after pruning. */
export interface Appended {
  readonly place: Place;
  readonly messages: readonly CrewMessage[];
  readonly before: number;
  readonly grown: number;
  readonly after: number;
  /** Tokens that went, by characters / 4. */
  readonly tokens: number;
}

/** The history of one request: bounded after each append, and nobody else's. */
export interface History {
  readonly messages: readonly CrewMessage[];
  /** Messages and tokens that were pruned up to now. */
  readonly gone: { readonly messages: number; readonly tokens: number };
  /** How many messages ever stood in it: what is appended later is newer than this. */
  readonly count: number;
  /** True for messages that were appended after the history had had `count` messages. */
  isSince(message: CrewMessage, count: number): boolean;
  append(place: Place, messages: readonly CrewMessage[]): Promise<void>;
}

export interface HistorySetup {
  readonly limit: number;
  readonly strategy: StrategyName;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Told, and waited for, once the messages stand in the history. */
  readonly onAppend?: (appended: Appended) => void | Promise<void>;
}

const DIALECT = openaiChat<CrewMessage>();

/** The one place where a history grows, so no append goes unpruned. `given` is copied, and made valid where it is not. */
export function createHistory(given: readonly CrewMessage[], setup: HistorySetup): History {
  const seqs = new WeakMap<CrewMessage, number>();
  const bound = setup.strategy === 'rolling' ? rolling(setup) : folding(setup);
  let messages: readonly CrewMessage[] = repaired(given);
  /** What was bounded already, and what was not yet. */
  let known: readonly CrewMessage[] = [];
  let fresh = messages;
  let count = messages.length;
  let gone = { messages: 0, tokens: 0 };
  return {
    get messages() {
      return messages;
    },
    get gone() {
      return gone;
    },
    get count() {
      return count;
    },
    isSince: (message, at) => (seqs.get(message) ?? 0) > at,
    async append(place, given) {
      const added = given.map(cleanMessage);
      const before = messages.length;
      for (const message of added) seqs.set(message, ++count);
      const grown = before + added.length;
      const kept = await bound(known, [...fresh, ...added]);
      fresh = [];
      known = kept.messages;
      messages = kept.messages;
      const went = Math.max(0, grown - kept.messages.length);
      if (went > 0) setup.logger.info(pruningLine(grown, kept.messages.length));
      gone = { messages: gone.messages + went, tokens: gone.tokens + kept.tokens };
      await setup.onAppend?.({ place, messages: added, before, grown, after: messages.length, tokens: kept.tokens });
    },
  };
}

/** How pruning is said. Pure. */
export function pruningLine(before: number, after: number): string {
  return `[HISTORY] Pruning from ${before} to ${after} messages`;
}

/** A window for what is done with the crew's messages. */
export function historyWindow(logger: Pick<Logger, 'warn'>, config: { limit?: number; strategy?: StrategyName } = {}) {
  const { limit, strategy = 'rolling' } = config;
  const sizes =
    limit === undefined ? {} : { max_messages: limit, preserve_last_n: Math.min(20, Math.floor(limit / 3)) };
  return new ConversationWindow<CrewMessage>({ strategy, ...sizes }, { dialect: DIALECT, logger });
}

interface Kept {
  readonly messages: readonly CrewMessage[];
  readonly tokens: number;
}
/** Bounds a history: all of it, and of that what is new. */
type Bound = (messages: readonly CrewMessage[], fresh: readonly CrewMessage[]) => Kept | Promise<Kept>;

/** The newest whole turns, whatever it costs the prompt cache. */
function rolling({ limit, logger }: HistorySetup): Bound {
  const window = historyWindow(logger);
  return (messages, fresh) => {
    const all = [...messages, ...fresh];
    if (all.length <= limit) return { messages: all, tokens: 0 };
    const { trimmed, evicted } = pruned(window, all, limit);
    return { messages: trimmed, tokens: window.estimateTokens(evicted) };
  };
}

/** A window keeps it, and speaks for what went in a note. */
function folding(setup: HistorySetup): Bound {
  const { limit, strategy, logger } = setup;
  const plain = rolling(setup);
  let window = historyWindow(logger, { limit, strategy });
  let seen = 0;
  const size = (messages: readonly CrewMessage[]) => window.estimateTokens(messages);
  return async (messages, fresh) => {
    const grown = [...messages, ...fresh];
    try {
      const { messages: view, metrics } = await window.fit(seen === 0 ? grown : fresh, { offset: seen });
      seen = metrics.totalMessages;
      return { messages: view, tokens: Math.max(0, size(grown) - size(view)) };
    } catch (error) {
      if (!isHoldfastError(error) || error.code !== 'OVER_BUDGET') throw error;
      // What no fold may touch is longer than the limit by itself: the newest turn alone may be.
      const kept = await plain([], grown);
      window = historyWindow(logger, { limit, strategy });
      const { metrics } = await window.fit(kept.messages).catch(() => ({ metrics: { totalMessages: 0 } }));
      seen = metrics.totalMessages;
      return { messages: kept.messages, tokens: Math.max(0, size(grown) - size(kept.messages)) };
    }
  };
}

function repaired(given: readonly CrewMessage[]): CrewMessage[] {
  const { messages } = repairHistory(structuredClone([...given]), { dialect: DIALECT });
  return structuredClone([...messages]).map(cleanMessage);
}
