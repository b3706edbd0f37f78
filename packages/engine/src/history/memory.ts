import type { Dialect } from '../dialect.ts';
import type { HoldfastError } from '../errors.ts';
import type { Size } from '../size/budget.ts';
import { type Load, NO_LOAD } from '../size/tokens.ts';
import type { ArchiveEntry, Eras } from '../state/archive.ts';
import type { FoldEntry } from '../state/state.ts';
import { brokenRule } from '../turns/read-turns.ts';
import { type Print, restored, type Snapshot, type Trace } from '../turns/snapshot.ts';
import { type View, viewLoad } from '../view/view.ts';
import type { Piece } from '../view/view-turn.ts';
import type { RepairMemo } from './repair.ts';

/** What a window knows of its conversation; replaced as a whole, so that a failed call leaves it as it was. */
export interface Known<M> {
  readonly view: View<M>;
  readonly load: Load;
  /** All messages that were seen. */
  readonly said: Load;
  readonly log: readonly FoldEntry[];
  /** Folds that were undone, the one to redo next first. */
  readonly undone: readonly FoldEntry[];
  /** After an undo: the size above which the next automatic fold is due. */
  readonly hold?: Partial<Size>;
  /** Places in the history that no fold may touch, in order. */
  readonly pins: readonly number[];
  readonly eras: Eras;
  readonly folds: number;
  /** Messages of the history that the view accounts for. */
  readonly seen: number;
  /** The last message that the last fold covered. */
  readonly edge: Trace<M> | undefined;
  /**
   * The messages behind the folded part of the view, by place, and prints of those that stand shortened there. None in a
   * restored window until they are given again.
   */
  readonly kept: ReadonlyMap<number, Trace<M>>;
  readonly prints: ReadonlyMap<number, Print>;
  /** The caller's messages since then, and what each held when it was given; a failed call may have left more of both. */
  readonly recent: M[];
  readonly snapshots: Snapshot<M>[];
  /** The last view ended with this many transient messages: thinking made behind them is bound to words that are no more. */
  readonly transient?: number;
  /** Ids of the calls in the view, where no two may be the same; `fresh` are those not yet in `ids`. */
  readonly ids: Set<string>;
  readonly fresh: readonly string[];
  /** Originals that an edit before them changed: they must be in the archive before the view is given out. */
  readonly stripped: readonly ArchiveEntry<M>[];
  /** The history as it was repaired, with `repair`. */
  readonly repair?: RepairMemo<M>;
  /** An edit that was found and not told yet. */
  readonly rewritten?: Rewritten;
}

/** The first place at which the history was not what it had been, and how many folds that cost. */
export interface Rewritten {
  readonly index: number;
  readonly folds_discarded: number;
  /** Pins of messages that are no more. */
  readonly pins_lost: readonly number[];
}

/** A history as the caller gave it: from the message at `offset` on. */
export interface Given<M> {
  readonly history: readonly M[];
  readonly offset: number;
  /** The first place that a repair changed: one that was seen differs from before, or one is new. */
  readonly repaired?: number | undefined;
  /** Nothing is about to be sent. */
  readonly rest?: boolean;
}

export function unknownYet<M>(eras: Eras = []): Known<M> {
  const view: View<M> = { pieces: [], head: 0 };
  return {
    view,
    load: NO_LOAD,
    said: NO_LOAD,
    log: [],
    undone: [],
    pins: [],
    eras,
    folds: 0,
    seen: 0,
    edge: undefined,
    kept: new Map(),
    prints: new Map(),
    recent: [],
    snapshots: [],
    ids: new Set(),
    fresh: [],
    stripped: [],
  };
}

/** What is known with another view, of which everything is settled. */
export function withView<M>(dialect: Dialect<M>, known: Known<M>, view: View<M>): Known<M> {
  return { ...known, view, load: viewLoad(view), ids: new Set(callIds(dialect, view.pieces)), fresh: [], stripped: [] };
}

/** Messages of the history that the last fold judged. */
export function coveredBy<M>({ log }: Known<M>): number {
  return log.at(-1)?.covered ?? 0;
}

/** What is known of the message at this place, if it was given to this window and stands in the view. */
export function traceAt<M>(known: Known<M>, index: number): Trace<M> | undefined {
  const at = index - coveredBy(known);
  if (at < 0) return known.kept.get(index);
  const { [at]: message } = known.recent;
  const { [at]: held } = known.snapshots;
  return message === undefined || held === undefined ? undefined : { message, held };
}

/** What the message at a place held, if it was given to this window and stands in the view. */
export function heldBy<M>(known: Known<M>): (index: number) => Snapshot<M> | undefined {
  const covered = coveredBy(known);
  const { kept, snapshots } = known;
  return (index) => (index < covered ? kept.get(index)?.held : snapshots[index - covered]);
}

/** The view as its messages were given, whatever was changed in place since. */
export function asGiven<M>(known: Known<M>): View<M> {
  const pieces = known.view.pieces.map((piece) => {
    const messages = piece.messages.map((message, i) => {
      const trace = traceAt(known, piece.from + i);
      return trace?.message === message ? restored(trace.held) : message;
    });
    return { ...piece, messages };
  });
  return { ...known.view, pieces };
}

/** The same with lists of its own: later calls change those of a window in place. */
export function apart<M>(known: Known<M>): Known<M> {
  const count = known.seen - coveredBy(known);
  return { ...known, recent: known.recent.slice(0, count), snapshots: known.snapshots.slice(0, count) };
}

/** The error for an edit before the part that was given. */
export function needsWhole(index: number): HoldfastError {
  return brokenRule({ index, rule: 'edited-history', fix: 'Give fit() the whole history once, without offset.' });
}

/** Ids of the calls in these pieces, where no two may be the same. */
export function callIds<M>(dialect: Dialect<M>, pieces: readonly Piece<M>[]): string[] {
  if (!dialect.uniqueCallIds) return [];
  const ids: string[] = [];
  for (const { readings } of pieces) for (const { calls } of readings) for (const { id } of calls) ids.push(id);
  return ids;
}
