import type { FoldEntry } from 'holdfast';
import { withoutNewest } from 'holdfast/fill-state';
import type { SessionEntry } from '../entry.ts';

/** Folds that stand, the newest last, and folds that can be made again, the next of them first. */
export interface FoldStack {
  readonly log: readonly FoldEntry[];
  readonly undone: readonly FoldEntry[];
}

export const NO_FOLDS: FoldStack = { log: [], undone: [] };

/** An entry that folds, undoes a fold or makes one again. */
export type Travel = Extract<SessionEntry, { type: 'fold' | 'unfold' | 'refold' }>;

/**
 * The stack behind such an entry; as it was if there is nothing to undo or to make again. A fold stands on those that it goes
 * on from: a window forgets folds that lie far back, and one without its state begins anew. Pure.
 */
export function stackAfter({ log, undone }: FoldStack, entry: Travel): FoldStack {
  switch (entry.type) {
    case 'fold': {
      const { fold } = entry;
      return { log: [...foldsUpTo(log, fold.prior), fold], undone: [] };
    }
    case 'unfold':
      return { log: log.slice(0, -1), undone: [...log.slice(-1), ...undone] };
    case 'refold':
      return { log: [...log, ...undone.slice(0, 1)], undone: undone.slice(1) };
  }
}

/** The folds of a history that was cut to this many messages: one whose newest turn is gone stands without it. Pure. */
export function foldsUpTo(log: readonly FoldEntry[], messages: number): FoldEntry[] {
  return log.flatMap((entry) => {
    const held = entry.covered <= messages ? entry : withoutNewest(entry);
    return held && held.covered <= messages ? held : [];
  });
}
