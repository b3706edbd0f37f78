import type { Dialect } from '../dialect.ts';
import { onFirstUse } from '../fold/on-first-use.ts';
import { freeze } from '../json/plain.ts';
import { addLoads, type Calibration } from '../size/tokens.ts';
import { type FoldEntry, type KeptTurn, keptTurns } from '../state/state.ts';
import { hashMessage, hashTurn } from '../turns/same-message.ts';
import { restored, type SeenMessage } from '../turns/snapshot.ts';
import type { View } from '../view/view.ts';
import { remindersOf, unremindTurn } from '../view/view-turn.ts';
import { originalsOf } from './compare.ts';
import { foldedUpTo, type Memory, seenAt, withView } from './memory.ts';

/** How many folds an edit can go back; an older edit starts over. Bounds the state. */
const LOG_DEPTH = 8;

/** The memory after a fold: the new view, and the fold in its log. */
export function logFold<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  { view, digest, summary, trims }: Pick<FoldEntry, 'digest' | 'summary' | 'trims'> & { readonly view: View<M> },
  calibration: Calibration,
): Memory<M> {
  const { seen, said, hold: _, ...rest } = memory;
  const covered = foldedUpTo(memory);
  const lastFolded = seen > covered ? seenAt(memory, seen - 1) : memory.lastFolded;
  const settled = withoutNewest(dialect, memory, view);
  const sources = originalsOf(dialect, view.turns, (at) => seenAt(memory, at), memory.fingerprints);
  const left = new Set(remindersOf(view.turns).map(({ at }) => at));
  const reminders = remindersOf(memory.view.turns).filter(({ at }) => !left.has(at));
  const isNew = seen > covered && lastFolded !== undefined;
  const entry = {
    covered: seen,
    prior: covered,
    edge: isNew ? hashMessage(dialect, restored(lastFolded.snapshot)) : (memory.log.at(-1)?.edge ?? ''),
    ...(settled ? { settled } : {}),
    head: view.head,
    ...(view.note ? { note: view.note.written } : {}),
    digest,
    summary,
    said,
    calibration,
    ...(trims ? { trims } : {}),
    ...(reminders.length > 0 ? { reminders } : {}),
  };
  const log = [...memory.log, entryOf(entry, hashedTurns(dialect, memory, view, sources.originals))].slice(-LOG_DEPTH);
  const folds = memory.folds + 1;
  const folded = { ...rest, ...sources, seen, said, log, undone: [], folds, lastFolded, recent: [], snapshots: [] };
  return withView(dialect, folded, view);
}

/** Hashes `kept` on first use. A function of its own, so that the entry keeps no other messages alive. */
function entryOf(entry: Omit<FoldEntry, 'kept'>, kept: () => readonly KeptTurn[]): FoldEntry {
  return Object.freeze({
    ...freeze(entry),
    get kept() {
      return kept();
    },
  });
}

/** The turns of a view with hashes of their originals. Turns that are whole are hashed on first use. */
function hashedTurns<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  view: View<M>,
  originals: Memory<M>['originals'],
): () => readonly KeptTurn[] {
  const covered = foldedUpTo(memory);
  const before = new Map(memory.log.at(-1)?.kept.map(({ from, hash }) => [from, hash]));
  const turns = keptTurns(view.turns).map((turn) => {
    const { from, count, cuts } = turn;
    if (from < covered) return withHash(turn, before.get(from));
    return cuts ? withHash(turn, hashTurn(dialect, memory.recent.slice(from - covered, from - covered + count))) : turn;
  });
  return hashLater(dialect, turns, covered, originals);
}

/** A function of its own, so that it keeps only the messages in the view alive. */
function hashLater<M>(
  dialect: Dialect<M>,
  turns: readonly KeptTurn[],
  covered: number,
  originals: Memory<M>['originals'],
) {
  const hashed = (turn: KeptTurn) => {
    if (turn.from < covered || turn.cuts) return turn;
    const seen = Array.from({ length: turn.count }, (_, i) => originals.get(turn.from + i) as SeenMessage<M>);
    const messages = seen.map(({ snapshot }) => restored(snapshot));
    return withHash(turn, hashTurn(dialect, messages));
  };
  return onFirstUse(() => freeze(turns.map(hashed)));
}

function withHash(turn: KeptTurn, hash: string | undefined): KeptTurn {
  return hash === undefined ? turn : { ...turn, hash };
}

/** What the fold covers without its newest turn, if that is whole and was not folded before. */
function withoutNewest<M>(dialect: Dialect<M>, memory: Memory<M>, { turns }: View<M>): FoldEntry['settled'] {
  const covered = foldedUpTo(memory);
  const newest = turns.at(-1);
  const isWhole = newest && !newest.unthought && newest.cuts.length === 0;
  if (!isWhole || newest.from <= covered || newest.from + newest.messages.length < memory.seen) return undefined;
  const edge = hashMessage(dialect, memory.recent[newest.from - covered - 1] as M);
  return { covered: newest.from, edge, said: addLoads(memory.said, [unremindTurn(newest)], -1) };
}
