import type { Dialect } from '../dialect.ts';
import { brokenRule, type HoldfastError } from '../errors.ts';
import { newRevision } from '../handles/handles.ts';
import { isRecord } from '../json/record.ts';
import { sameValue } from '../json/same-value.ts';
import { NO_LOAD } from '../size/tokens.ts';
import { enact, type FoldEntry, withoutNewest } from '../state/state.ts';
import { hashMessage, hashTurn, isSame } from '../turns/same-message.ts';
import { restored, seenMessage } from '../turns/snapshot.ts';
import type { View } from '../view/view.ts';
import { originalsOf } from './compare.ts';
import { emptyMemory, foldedUpTo, type HistoryInput, type Memory, seenAt, withView } from './memory.ts';

/** The memory as it was before the edited message: drops later folds and rebuilds the last valid one from the history. */
export function rewind<M>(dialect: Dialect<M>, memory: Memory<M>, input: HistoryInput<M>, index: number): Memory<M> {
  const { history, offset } = input;
  const covered = foldedUpTo(memory);
  const isFoldValid = memory.log.length > 0 && covered <= index;
  if (offset > (isFoldValid ? covered : 0)) throw needsWholeHistory(index);
  const { place, entry } = isFoldValid
    ? { place: memory.log.length - 1, entry: memory.log.at(-1) }
    : lastValidFold(dialect, memory.log, history, index);
  const seen = entry?.covered ?? 0;
  const revisions = newRevision(memory.revisions, seen);
  const { hold: _, bareTo: _bare, ...rest } = memory;
  const back = {
    ...rest,
    said: entry?.said ?? NO_LOAD,
    log: entry ? [...memory.log.slice(0, place), entry] : [],
    undone: [],
    pins: matchingPins(dialect, memory, input),
    revisions,
    seen,
    recent: [],
    snapshots: [],
  };
  if (isFoldValid) {
    const turns = memory.view.turns.filter((turn) => turn.from < covered);
    return withView(dialect, back, { ...memory.view, turns });
  }
  const view: View<M> = entry ? enact({ dialect, revisions }, history, entry) : { turns: [], head: 0 };
  const seenMessageAt = (at: number) => seenMessage(history[at] as M);
  const lastFolded = entry && seenMessageAt(seen - 1);
  const originals = originalsOf(dialect, view.turns, seenMessageAt, new Map());
  return withView(dialect, { ...back, lastFolded, ...originals }, view);
}

/** A memory that starts over with this history: it keeps only used handles, matching pins and the number of folds. */
export function startOver<M>(dialect: Dialect<M>, memory: Memory<M>, input: HistoryInput<M>): Memory<M> {
  const { revisions, folds, log } = memory;
  const pins = matchingPins(dialect, memory, input);
  const pinsLost = memory.pins.filter((pin) => !pins.includes(pin));
  const rewritten = { index: 0, foldsDiscarded: log.length, pinsLost };
  return { ...emptyMemory<M>(newRevision(revisions, 0)), pins, folds, rewritten };
}

/**
 * Starts at the first message again, because the messages turned out to be of another dialect: earlier checks and decisions no
 * longer hold. Throws INVALID_HISTORY.
 */
export function restartInDialect<M>(
  memory: Memory<M>,
  input: HistoryInput<M>,
): { readonly memory: Memory<M>; readonly input: HistoryInput<M> } {
  const { pins, folds, revisions, log, undone, recent, snapshots, seen } = memory;
  const { offset } = input;
  const isFolded = log.length + undone.length > 0;
  if (isFolded && offset > 0) throw needsWholeHistory(seen);
  const history = [...recent.slice(0, offset), ...input.history];
  // Archived messages may have been edited since.
  const isEdited =
    isFolded || snapshots.slice(0, seen).some((snapshot, i) => !sameValue(restored(snapshot), history[i]));
  const first = { ...emptyMemory<M>(isEdited ? newRevision(revisions, 0) : revisions), pins, folds };
  return { memory: first, input: { ...input, history, offset: 0 } };
}

/** The error for an edit before the part that was passed. */
export function needsWholeHistory(index: number): HoldfastError {
  return brokenRule({ index, rule: 'edited-history', fix: 'Pass fit() the whole history once, without offset.' });
}

/** The newest fold, with or without its newest turn, that matches the history. */
function lastValidFold<M>(
  dialect: Dialect<M>,
  log: readonly FoldEntry[],
  history: readonly M[],
  index: number,
): { readonly place: number; readonly entry?: FoldEntry } {
  for (let place = log.length - 1; place >= 0; place--) {
    const whole = log[place] as FoldEntry;
    if (isValid(dialect, whole, history, index)) return { place, entry: whole };
    const entry = withoutNewest(whole);
    // A note is never last.
    if (entry && entry.covered < history.length && isValid(dialect, entry, history, index)) return { place, entry };
  }
  return { place: -1 };
}

/** True if the history still has what the fold kept and the last message that it covered. */
function isValid<M>(dialect: Dialect<M>, entry: FoldEntry, history: readonly M[], index: number): boolean {
  const { covered, edge, kept } = entry;
  const last = history[covered - 1];
  if (covered > index || !isRecord(last) || hashMessage(dialect, last as M) !== edge) return false;
  return kept.every(({ from, count, hash }) => {
    const turn = history.slice(from, from + count);
    return hash !== undefined && turn.every(isRecord) && hashTurn(dialect, turn) === hash;
  });
}

/** Pins of messages that have not changed, and of those to come. */
function matchingPins<M>(
  dialect: Dialect<M>,
  memory: Memory<M>,
  { history, offset }: HistoryInput<M>,
): readonly number[] {
  return memory.pins.filter((pin) => {
    if (pin >= memory.seen || pin < offset) return true;
    const message = history[pin - offset];
    const turn = memory.view.turns.find(({ from, messages }) => from <= pin && pin < from + messages.length);
    if (message === undefined || !turn) return false;
    const seen = seenAt(memory, pin);
    return isSame(dialect, message, seen ? restored(seen.snapshot) : turn.messages[pin - turn.from]);
  });
}
