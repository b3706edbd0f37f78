import { sessionTokens } from '@holdfast/models';
import type { SessionEntry, WindowPosition } from '@holdfast/sessions';
import type { Receipt, WindowState } from 'holdfast';
import { defined } from '../defined.ts';
import type { ExecutionOptions } from '../providers/provider.ts';
import type { Used } from './spending.ts';

/** What a request used. */
export interface Spent extends Used {
  readonly model: string;
  /** The number of its entry in the log. */
  readonly request?: number | undefined;
  /** True if the answer was paused, and the next request continues it. */
  readonly paused?: boolean;
}

/** Records a conversation; without `record` it does nothing. */
export type ConversationLog<M> = ReturnType<typeof createConversationLog<M>>;

/** `before`: the turns dropped by earlier folds, as `dropped` returned them. */
export function createConversationLog<M>(
  record: ExecutionOptions['record'],
  before: Readonly<Record<number, number>> = {},
) {
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
    /** Records messages, waiting entries and these entries; returns the messages as recorded. */
    keep,
    /** Records the last fold of this state. */
    async fold(receipt: Receipt, state: () => WindowState<M>): Promise<void> {
      if (!record || receipt.fold === 0) return;
      const { log, eras } = state();
      const fold = log.at(-1);
      if (!fold) return;
      const earlier = fold.prior === 0 ? 0 : (sums.get(log.at(-2)?.covered ?? 0) ?? 0);
      const dropped = earlier + receipt.dropped;
      sums.set(fold.covered, dropped);
      await keep([], [{ type: 'fold', fold, receipt, dropped, ...(eras.length > 0 ? { eras } : {}) }]);
    },
    /** Recorded with the next entries. */
    used({ model, usage, cost, request, paused }: Spent, place?: () => WindowPosition): void {
      if (!record) return;
      const tokens = sessionTokens(usage);
      waiting.push(
        defined({ type: 'usage', tokens, cost, request, paused: paused || undefined, model, window: place?.() }),
      );
    },
    /** For each fold of a state, by what it covered: how many turns were dropped up to then. */
    dropped({ log, undone }: WindowState<M>): Readonly<Record<number, number>> {
      const known = [...log, ...undone].filter(({ covered }) => sums.has(covered));
      return Object.fromEntries(known.map(({ covered }) => [covered, sums.get(covered) ?? 0]));
    },
  };
}
