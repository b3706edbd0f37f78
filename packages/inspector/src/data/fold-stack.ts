import type { StoredEntry } from '@holdfast/sessions';
import type { FoldMark } from '../api/types.ts';

/** A fold of a log, in effect or not. */
export interface IndexedFold extends Pick<FoldMark, 'fold' | 'seq' | 'time' | 'reason' | 'before' | 'after'> {
  /** How many messages of the history it covered. */
  readonly covered: number;
}

/** Folds in effect, by number, the newest last; and undone ones, the next to redo first. */
interface Stack {
  readonly log: readonly number[];
  readonly undone: readonly number[];
}

const EMPTY: Stack = { log: [], undone: [] };

/** Which folds of a session are in effect, as its log says entry by entry. Single owner. */
export class FoldStack {
  readonly folds: IndexedFold[] = [];
  /** The stack after each entry that changed it, in order. */
  readonly #changes: { readonly seq: number; readonly stack: Stack }[] = [];

  /** Adds the next entry. */
  add({ seq, time, entry }: StoredEntry): void {
    const { log, undone } = this.#now;
    if (entry.type === 'fold') {
      const { fold, receipt } = entry;
      const { reason, before, after } = receipt;
      const number = this.folds.length + 1;
      // An undo or redo has entries of its own.
      const why = reason === 'undo' || reason === 'redo' ? 'compact' : reason;
      this.folds.push({ fold: number, seq, time, reason: why, before, after, covered: fold.covered });
      const below = log.filter((one) => (this.folds[one - 1]?.covered ?? 0) <= fold.prior);
      this.#push(seq, { log: [...below, number], undone: [] });
    } else if (entry.type === 'unfold')
      this.#push(seq, { log: log.slice(0, -1), undone: [...log.slice(-1), ...undone] });
    else if (entry.type === 'refold')
      this.#push(seq, { log: [...log, ...undone.slice(0, 1)], undone: undone.slice(1) });
    else if (entry.type === 'rewind') this.#push(seq, entry.seq === undefined ? EMPTY : this.#at(entry.seq));
  }

  get #now(): Stack {
    return this.#changes.at(-1)?.stack ?? EMPTY;
  }

  /** Numbers of the folds in effect after an entry, the newest last; by default after the last. */
  inEffect(seq = Number.MAX_SAFE_INTEGER): readonly number[] {
    return this.#at(seq).log;
  }

  /** Number of undone folds that can be redone. */
  get redoable(): number {
    return this.#now.undone.length;
  }

  #push(seq: number, stack: Stack): void {
    this.#changes.push({ seq, stack });
  }

  #at(seq: number): Stack {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.seq ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return this.#changes[low - 1]?.stack ?? EMPTY;
  }
}
