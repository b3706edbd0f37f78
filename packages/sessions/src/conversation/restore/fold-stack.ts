import type { FoldEntry } from 'holdfast';
import { withoutNewest } from 'holdfast/restore';
import type { StoredEntry } from '../../entry.ts';

/** Folds in effect, newest last, and undone folds, the next to redo first. */
export interface FoldStack {
  readonly log: readonly FoldEntry[];
  readonly undone: readonly FoldEntry[];
}

export const NO_FOLDS: FoldStack = { log: [], undone: [] };

/** An entry that folds, undoes a fold or redoes one. */
export type FoldChange = StoredEntry<'fold' | 'unfold' | 'refold'>['entry'];

/**
 * The stack after an entry; unchanged if there is nothing to undo or redo. A fold keeps only the folds it builds on: a window
 * forgets old folds, and one without its state starts over. Pure.
 */
export function stackAfter({ log, undone }: FoldStack, entry: FoldChange): FoldStack {
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

/** The folds of a history cut to this many messages: a fold whose newest turn is gone stays without it. Pure. */
export function foldsUpTo(log: readonly FoldEntry[], messages: number): FoldEntry[] {
  return log.flatMap((entry) => {
    const held = entry.covered <= messages ? entry : withoutNewest(entry);
    return held && held.covered <= messages ? held : [];
  });
}
