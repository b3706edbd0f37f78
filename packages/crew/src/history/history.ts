import type { ExecutionOptions } from '@holdfast/agent';
import { type Conversation, messageEntry, type SessionEntry } from '@holdfast/sessions';
import { repairHistory } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import type { CrewEvent } from '../events.ts';
import { type CharsMemory, charsSaid, charsShown } from '../usage/chars-said.ts';
import { type BoundSetup, crewConversation, folding, rolling } from './bound.ts';
import { cleanMessage } from './messages.ts';
import { CREW_DIALECT } from './note.ts';

/** What added messages to the history. */
export type AppendSource = 'input' | 'answer' | 'tools' | 'parallel' | 'hand-off';

/** A history that a session keeps from request to request. */
export interface KeptHistory {
  /** The session's conversation; undefined if the history is not folded. */
  readonly conversation?: Conversation<CrewMessage>;
  /** Characters of everything ever said, as shown to agents. */
  readonly said: number;
  /** True if a provider's cache may still hold what was said before this request. */
  readonly warm: boolean;
  /** Stores entries, and returns them as stored: everything else waits for it, and what it returns enters the history. */
  readonly record: (entries: readonly SessionEntry[]) => Promise<readonly SessionEntry[]>;
  /** As for a provider: gets each request before it is sent. */
  readonly onRequest?: NonNullable<ExecutionOptions['onRequest']>;
}

/** The history of one request, bounded after each append. */
export type History = ReturnType<typeof createHistory>;

export interface HistorySetup extends BoundSetup {
  readonly memory?: Pick<CharsMemory, 'get'>;
  /** Called, and waited for, after each append. */
  readonly onAppend?: (event: Extract<CrewEvent, { readonly type: 'history-append' }>) => void | Promise<void>;
}

/** The only place where a history grows, so every append is bounded. Copies `given`, and repairs it if needed. */
export function createHistory(given: readonly CrewMessage[], setup: HistorySetup) {
  const { kept, logger } = setup;
  const { conversation } = kept ?? {};
  const numbers = new WeakMap<CrewMessage, number>();
  const bound = setup.strategy === 'rolling' ? rolling(setup) : folding(setup);
  const sizes = crewConversation(logger);
  const messages = conversation ? shownIn(conversation) : repaired(given);
  const before = kept ?? setup.memory?.get(messages);
  const history = {
    messages,
    /** Messages pruned so far. */
    pruned: 0,
    /** Characters of everything ever said, including earlier requests, as shown to agents. */
    said: before?.said ?? charsSaid(messages),
    /**
     * True if a provider's cache may still hold what was said before. A history above the limit was not returned by this crew.
     */
    warm: before?.warm ?? messages.length <= setup.limit,
    /** Number of messages that were ever in it. */
    count: messages.length,
    /** True for a message that was appended after the history had had `at` messages. */
    isSince: (message: CrewMessage, at: number) => (numbers.get(message) ?? 0) > at,
    async append(place: AppendSource, given: readonly CrewMessage[]): Promise<void> {
      const added = await stored(given.map(cleanMessage), kept);
      for (const message of added) numbers.set(message, ++history.count);
      const before = history.messages;
      const grown = [...before, ...added];
      const left = [...(await bound(before, added))];
      history.messages = left;
      history.said += charsShown(added);
      const removed = Math.max(0, grown.length - left.length);
      const isChanged = removed > 0 || left.some((message, i) => message !== grown[i]);
      const tokensPruned = isChanged ? Math.max(0, sizes.estimate(grown) - sizes.estimate(left)) : 0;
      if (removed > 0) logger.info(pruningLine(grown.length, left.length));
      history.pruned += removed;
      const counts = { before: before.length, grown: grown.length, after: left.length, tokensPruned };
      await setup.onAppend?.({ type: 'history-append', place, messages: added, ...counts });
    },
  };
  return history as Readonly<typeof history>;
}

/** The log line for a pruning. Pure. */
export function pruningLine(before: number, after: number): string {
  return `[HISTORY] Pruning from ${before} to ${after} messages`;
}

function shownIn(conversation: Conversation<CrewMessage>): CrewMessage[] {
  const { window, pending } = conversation.state();
  return [...window.view, ...pending];
}

/** The messages as the session has them. */
async function stored(
  messages: readonly CrewMessage[],
  kept: KeptHistory | undefined,
): Promise<readonly CrewMessage[]> {
  if (!kept || messages.length === 0) return messages;
  const entries = await kept.record(messages.map(messageEntry));
  return entries.flatMap((entry) => (entry.type === 'message' ? [entry.message as unknown as CrewMessage] : []));
}

function repaired(given: readonly CrewMessage[]): CrewMessage[] {
  const { messages } = repairHistory(structuredClone([...given]), { dialect: CREW_DIALECT });
  return structuredClone([...messages]).map(cleanMessage);
}
