import type { Dialect } from '../dialect.ts';
import type { Revisions } from '../handles/handles.ts';
import { frozen } from '../json/plain.ts';
import type { Size } from '../size/budget.ts';
import { addLoads, type Load, NO_LOAD } from '../size/tokens.ts';
import type { ArchiveEntry } from '../state/archive.ts';
import { type FoldEntry, restoreView, type WindowState } from '../state/state.ts';
import type { RawTurn } from '../turns/read-turns.ts';
import { type Fingerprint, restored, type SeenMessage, type Snapshot, snapshotOf } from '../turns/snapshot.ts';
import { type View, viewLoad } from '../view/view.ts';
import { unremindTurn } from '../view/view-turn.ts';
import type { RepairMemo } from './repairs.ts';

/** What a window remembers of its conversation. Replaced as a whole, so that a failed call changes nothing. */
export interface Memory<M> {
  readonly view: View<M>;
  /** The size of the view, and of all messages seen. */
  readonly load: Load;
  readonly said: Load;
  readonly log: readonly FoldEntry[];
  /** Undone folds, the next to redo first. */
  readonly undone: readonly FoldEntry[];
  /** After an undo: the size above which the next automatic fold happens. */
  readonly hold?: Partial<Size>;
  /** Indexes in the history that no fold may touch, in order. */
  readonly pins: readonly number[];
  readonly revisions: Revisions;
  readonly folds: number;
  /** Messages of the history that the view represents. */
  readonly seen: number;
  /** The last message that the last fold covered. */
  readonly lastFolded: SeenMessage<M> | undefined;
  /**
   * Originals of the folded part of the view, by index: whole messages, and fingerprints of shortened ones. A restored window
   * has none until the caller passes them again.
   */
  readonly originals: ReadonlyMap<number, SeenMessage<M>>;
  readonly fingerprints: ReadonlyMap<number, Fingerprint>;
  /** The caller's messages since the last fold, with snapshots. A failed call may leave extra ones at the end of both. */
  readonly recent: M[];
  readonly snapshots: Snapshot<M>[];
  /** How many transient messages ended the last view: thinking written after them cannot stay once they are gone. */
  readonly transient?: number;
  /** The view changed since it was sent: what the model answered to that is bound to another view. */
  readonly unsent?: true;
  /** Messages before this index that came since the last fold, undo or redo lost their thinking for that reason. */
  readonly bareTo?: number;
  /** The lowest offset of a call that passed folded messages again: of those, dropped ones are not compared. */
  readonly passedAgain?: number;
  /** After an undo: that offset, because dropped messages came back. The next call must pass them, to be compared. */
  readonly unchecked?: number;
  /** Ids of the calls in the view, where they must be unique; `newIds` are not in `ids` yet. */
  readonly ids: Set<string>;
  readonly newIds: readonly string[];
  /** Originals that lost their thinking after an edit. They are archived before the view is sent. */
  readonly unarchived: readonly ArchiveEntry<M>[];
  readonly repair?: RepairMemo<M>;
  /** An edit to report once this memory is committed. */
  readonly rewritten?: Rewritten;
}

/** The first edited index of the history, and what the edit cost. */
export interface Rewritten {
  readonly index: number;
  readonly foldsDiscarded: number;
  /** Pins whose messages are gone. */
  readonly pinsLost: readonly number[];
}

/** The history that the caller passed, from the message at `offset` on. */
export interface HistoryInput<M> {
  readonly history: readonly M[];
  readonly offset: number;
  /** The first index that a repair changed, if it is new or differs from before. */
  readonly repaired?: number | undefined;
  /** Nothing is about to be sent. */
  readonly rest?: boolean;
}

export function emptyMemory<M>(revisions: Revisions = []): Memory<M> {
  return {
    view: { turns: [], head: 0 },
    load: NO_LOAD,
    said: NO_LOAD,
    log: [],
    undone: [],
    pins: [],
    revisions,
    folds: 0,
    seen: 0,
    lastFolded: undefined,
    originals: new Map(),
    fingerprints: new Map(),
    recent: [],
    snapshots: [],
    ids: new Set(),
    newIds: [],
    unarchived: [],
  };
}

/** The memory of the window that returned this state. Throws BAD_STATE if the state contradicts itself. */
export function restoreMemory<M>(dialect: Dialect<M>, state: WindowState<M>): Memory<M> {
  // Copies: the caller's state stays the caller's.
  const { view: _, log: folds, undone: unmade, seen, ...rest } = state;
  const {
    revisions,
    turns,
    hold,
    transient,
    unsent,
    bareTo,
    passedAgain,
    unchecked,
    pins,
    folds: count,
  } = frozen(rest);
  const log = folds.map(frozen);
  const view = restoreView(dialect, { ...state, turns, log });
  const { covered = 0, said = NO_LOAD } = log.at(-1) ?? {};
  const since = view.turns.filter(({ from }) => from >= covered);
  const recent: M[] = [];
  for (const { from, messages } of since)
    for (const [i, message] of messages.entries()) recent[from - covered + i] = message;
  const memory = {
    ...emptyMemory<M>(revisions),
    said: addLoads(said, since.map(unremindTurn)),
    log,
    undone: unmade.map(frozen),
    pins,
    folds: count,
    seen,
    recent,
    snapshots: recent.map(snapshotOf),
    ...(hold ? { hold } : {}),
    ...(transient ? { transient } : {}),
    ...(unsent === true ? { unsent } : {}),
    ...(bareTo === undefined ? {} : { bareTo }),
    ...(passedAgain === undefined ? {} : { passedAgain }),
    ...(unchecked === undefined ? {} : { unchecked }),
  };
  return withView(dialect, memory, view);
}

/** The memory with another view, whose originals are all archived. */
export function withView<M>(dialect: Dialect<M>, memory: Memory<M>, view: View<M>): Memory<M> {
  const ids = new Set(callIds(dialect, view.turns));
  return { ...memory, view, load: viewLoad(view), ids, newIds: [], unarchived: [] };
}

/** How many messages of the history the last fold covered. */
export function foldedUpTo<M>({ log }: Memory<M>): number {
  return log.at(-1)?.covered ?? 0;
}

/** The message at this index as the caller passed it, if it is in the view. */
export function seenAt<M>(memory: Memory<M>, index: number): SeenMessage<M> | undefined {
  const at = index - foldedUpTo(memory);
  if (at < 0) return memory.originals.get(index);
  const { [at]: message } = memory.recent;
  const { [at]: snapshot } = memory.snapshots;
  return message === undefined || snapshot === undefined ? undefined : { message, snapshot };
}

/** Looks up the snapshot of the message at an index. A cold start asks for thousands, so it allocates nothing. */
export function snapshotsOf<M>(memory: Memory<M>): (index: number) => Snapshot<M> | undefined {
  const covered = foldedUpTo(memory);
  const { originals, snapshots } = memory;
  return (index) => (index < covered ? originals.get(index)?.snapshot : snapshots[index - covered]);
}

/** The view with its messages as the caller passed them, whatever was changed in place since. */
export function originalView<M>(memory: Memory<M>): View<M> {
  const turns = memory.view.turns.map((turn) => {
    const messages = turn.messages.map((message, i) => {
      const seen = seenAt(memory, turn.from + i);
      return seen?.message === message ? restored(seen.snapshot) : message;
    });
    return { ...turn, messages };
  });
  return { ...memory.view, turns };
}

/** A copy with its own lists: later calls append to a window's lists in place. */
export function withOwnLists<M>(memory: Memory<M>): Memory<M> {
  const count = memory.seen - foldedUpTo(memory);
  return { ...memory, recent: memory.recent.slice(0, count), snapshots: memory.snapshots.slice(0, count) };
}

/** Ids of the calls in these turns, if the dialect requires them to be unique. */
export function callIds<M>(dialect: Dialect<M>, turns: readonly Pick<RawTurn<M>, 'readings'>[]): string[] {
  if (!dialect.uniqueCallIds) return [];
  const ids: string[] = [];
  for (const { readings } of turns)
    for (const { calls } of readings) for (const { id, spoken } of calls) if (!spoken) ids.push(id);
  return ids;
}
