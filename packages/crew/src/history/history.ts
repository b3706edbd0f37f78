import type { Logger } from '@holdfast/agent';
import { createLog } from '@holdfast/agent';
import { repairHistory, type StrategyName } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { SaidBefore } from '../usage/said-before.ts';
import { saidIn, toldChars } from '../usage/told-chars.ts';
import { folding, historyWindow, rolling } from './bound.ts';
import { cleanMessage } from './clean-message.ts';
import type { KeptHistory } from './kept-history.ts';
import { CREW_DIALECT } from './note.ts';

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
  /** Characters of all that was ever said, in requests before this one, too, as agents are told it. */
  readonly said: number;
  /** True if what was said before this request may be in a provider's cache. */
  readonly warm: boolean;
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
  readonly kept?: KeptHistory;
  readonly before?: Pick<SaidBefore, 'get'>;
  /** Told, and waited for, once the messages stand in the history. */
  readonly onAppend?: (appended: Appended) => void | Promise<void>;
}

/** The one place where a history grows, so no append goes unpruned. `given` is copied, and made valid where it is not. */
export function createHistory(given: readonly CrewMessage[], setup: HistorySetup): History {
  const { kept } = setup;
  const { conversation } = kept ?? {};
  const seqs = new WeakMap<CrewMessage, number>();
  const bound = setup.strategy === 'rolling' ? rolling(setup) : folding(setup);
  const log = createLog<CrewMessage>(kept?.record);
  const { estimateTokens } = sizes(setup.logger);
  let messages = conversation ? [...conversation.window.view, ...conversation.pending] : repaired(given);
  const before = kept ?? setup.before?.get(messages);
  // What is longer than the limit was never given out: it comes from elsewhere.
  const warm = before?.warm ?? messages.length <= setup.limit;
  let said = before?.said ?? saidIn(messages);
  let count = messages.length;
  let gone = { messages: 0, tokens: 0 };
  return {
    get messages() {
      return messages;
    },
    get gone() {
      return gone;
    },
    warm,
    get said() {
      return said;
    },
    get count() {
      return count;
    },
    isSince: (message, at) => (seqs.get(message) ?? 0) > at,
    async append(place, given) {
      const added = await log.keep(given.map(cleanMessage));
      for (const message of added) seqs.set(message, ++count);
      const grown = [...messages, ...added];
      const left = [...(await bound(messages, added))];
      const before = messages.length;
      messages = left;
      said += toldChars(added);
      const went = Math.max(0, grown.length - left.length);
      const isChanged = went > 0 || left.some((message, i) => message !== grown[i]);
      const tokens = isChanged ? Math.max(0, estimateTokens(grown) - estimateTokens(left)) : 0;
      if (went > 0) setup.logger.info(pruningLine(grown.length, left.length));
      gone = { messages: gone.messages + went, tokens: gone.tokens + tokens };
      await setup.onAppend?.({ place, messages: added, before, grown: grown.length, after: left.length, tokens });
    },
  };
}

/** How pruning is said. Pure. */
export function pruningLine(before: number, after: number): string {
  return `[HISTORY] Pruning from ${before} to ${after} messages`;
}

function sizes(logger: Pick<Logger, 'warn'>) {
  const window = historyWindow(logger);
  return { estimateTokens: (messages: readonly CrewMessage[]) => window.estimateTokens(messages) };
}

function repaired(given: readonly CrewMessage[]): CrewMessage[] {
  const { messages } = repairHistory(structuredClone([...given]), { dialect: CREW_DIALECT });
  return structuredClone([...messages]).map(cleanMessage);
}
