import type { SessionEntry, WindowPosition } from '@holdfast/sessions';
import type { Receipt, WindowState } from 'holdfast';
import type { ExecutionOptions, TokenUsage } from '../providers/provider.ts';

/** What a request used. */
export interface Spent {
  readonly model: string;
  readonly usage: TokenUsage;
  readonly cost?: number;
  /** The number of its entry in the log. */
  readonly request?: number | undefined;
  /** True if the answer was paused, and the next request continues it. */
  readonly paused?: boolean;
}

/** Records a conversation; without `record` it does nothing. */
export interface ConversationLog<M> {
  /** Records messages, waiting entries and these entries; returns the messages as recorded. */
  keep(messages: readonly M[], entries?: readonly SessionEntry[]): Promise<readonly M[]>;
  /** Records the last fold of this state. */
  fold(receipt: Receipt, state: () => WindowState<M>): Promise<void>;
  /** Recorded with the next entries. */
  used(spent: Spent, place?: () => WindowPosition): void;
  /** For each fold of a state, by what it covered: how many turns were dropped up to then. */
  dropped(state: WindowState<M>): Readonly<Record<number, number>>;
}

export function createConversationLog<M>(
  record: ExecutionOptions['record'],
  before: Readonly<Record<number, number>> = {},
): ConversationLog<M> {
  const sums = new Map(Object.entries(before).map(([covered, sum]) => [Number(covered), sum]));
  let waiting: SessionEntry[] = [];
  const keep = async (messages: readonly M[], entries: readonly SessionEntry[] = []): Promise<readonly M[]> => {
    if (!record) return messages;
    const added = messages.map((message) => ({ type: 'message', message }) as unknown as SessionEntry);
    const all = [...added, ...waiting, ...entries];
    waiting = [];
    const kept = all.length === 0 ? [] : await record(all);
    return kept.flatMap((entry) => (entry.type === 'message' ? [entry.message as M] : []));
  };
  return {
    keep,
    async fold(receipt, state) {
      if (!record || receipt.fold === 0) return;
      const { log, eras } = state();
      const fold = log.at(-1);
      if (!fold) return;
      const earlier = fold.prior === 0 ? 0 : (sums.get(log.at(-2)?.covered ?? 0) ?? 0);
      const dropped = earlier + receipt.dropped;
      sums.set(fold.covered, dropped);
      await keep([], [{ type: 'fold', fold, receipt, dropped, ...(eras.length > 0 ? { eras } : {}) }]);
    },
    used({ model, usage, cost, request, paused }, place) {
      if (!record) return;
      const { inputTokens: input, outputTokens: output, cacheReadTokens, cacheWriteTokens } = usage;
      const tokens = { input, output, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens };
      const window = place ? { window: place() } : {};
      const known = {
        ...(cost === undefined ? {} : { cost }),
        ...(request === undefined ? {} : { request }),
        ...(paused ? { paused } : {}),
      };
      waiting.push({ type: 'usage', tokens, ...known, model, ...window });
    },
    dropped({ log, undone }) {
      const known = [...log, ...undone].filter(({ covered }) => sums.has(covered));
      return Object.fromEntries(known.map(({ covered }) => [covered, sums.get(covered) ?? 0]));
    },
  };
}
