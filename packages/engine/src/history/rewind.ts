import { isRecord } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { NO_LOAD } from '../size/tokens.ts';
import { newEra } from '../state/archive.ts';
import { enact, type FoldEntry, withoutNewest } from '../state/state.ts';
import { restored, traceOf } from '../turns/snapshot.ts';
import type { View } from '../view/view.ts';
import { hashMessage, hashTurn, isSame, sourcesOf } from './compare.ts';
import { coveredBy, type Given, heldBy, type Known, needsWhole, unknownYet, withView } from './memory.ts';

/** Back to before the difference: folds beyond it are discarded, the last that holds is made again from the history. */
export function rewind<M>(dialect: Dialect<M>, known: Known<M>, given: Given<M>, index: number): Known<M> {
  const { history, offset } = given;
  const stands = known.log.length > 0 && coveredBy(known) <= index;
  if (offset > (stands ? coveredBy(known) : 0)) throw needsWhole(index);
  const { place, entry } = stands
    ? { place: known.log.length - 1, entry: known.log.at(-1) }
    : lastThatHolds(dialect, known.log, history, index);
  const seen = entry?.covered ?? 0;
  const eras = newEra(known.eras, seen);
  const { hold: _, ...rest } = known;
  const back = {
    ...rest,
    said: entry?.said ?? NO_LOAD,
    log: entry ? [...known.log.slice(0, place), entry] : [],
    undone: [],
    pins: matchingPins(dialect, known, given),
    eras,
    seen,
    recent: [],
    snapshots: [],
  };
  if (stands) return withView(dialect, back, foldedPart(known));
  const view: View<M> = entry ? enact(dialect, history, entry, eras) : { pieces: [], head: 0 };
  const edge = entry && traceOf(history[seen - 1] as M);
  return withView(
    dialect,
    { ...back, edge, ...sourcesOf(dialect, view.pieces, (at) => traceOf(history[at] as M), new Map()) },
    view,
  );
}

/** Nothing known but names that were given out, pins that still match, and how often it was folded. */
export function afresh<M>(dialect: Dialect<M>, known: Known<M>, given: Given<M>): Known<M> {
  const { eras, folds, log } = known;
  const pins = matchingPins(dialect, known, given);
  const pins_lost = known.pins.filter((pin) => !pins.includes(pin));
  const rewritten = { index: 0, folds_discarded: log.length, pins_lost };
  return { ...unknownYet<M>(newEra(eras, 0)), pins, folds, rewritten };
}

/** The newest fold, whole or without its newest turn, that the history still bears out. */
function lastThatHolds<M>(
  dialect: Dialect<M>,
  log: readonly FoldEntry[],
  history: readonly M[],
  index: number,
): { readonly place: number; readonly entry?: FoldEntry } {
  for (let place = log.length - 1; place >= 0; place--) {
    const whole = log[place] as FoldEntry;
    if (holds(dialect, whole, history, index)) return { place, entry: whole };
    const entry = withoutNewest(whole);
    // A note is never last.
    if (entry && entry.covered < history.length && holds(dialect, entry, history, index)) return { place, entry };
  }
  return { place: -1 };
}

/** True if what a fold kept, and the last message that it covered, are still there. */
function holds<M>(dialect: Dialect<M>, entry: FoldEntry, history: readonly M[], index: number): boolean {
  const { covered, edge, kept } = entry;
  const last = history[covered - 1];
  if (covered > index || !isRecord(last) || hashMessage(dialect, last as M) !== edge) return false;
  return kept.every(({ from, count, hash }) => {
    const turn = history.slice(from, from + count);
    return hash !== undefined && turn.every(isRecord) && hashTurn(dialect, turn) === hash;
  });
}

/** Pins of messages that are still where they were, and of those to come. */
function matchingPins<M>(dialect: Dialect<M>, known: Known<M>, { history, offset }: Given<M>): readonly number[] {
  return known.pins.filter((pin) => {
    if (pin >= known.seen || pin < offset) return true;
    const message = history[pin - offset];
    const piece = known.view.pieces.find(({ from, messages }) => from <= pin && pin < from + messages.length);
    if (message === undefined || !piece) return false;
    const held = heldBy(known)(pin);
    return isSame(dialect, message, held ? restored(held) : piece.messages[pin - piece.from]);
  });
}

/** The view up to the last fold's edge. */
function foldedPart<M>(known: Known<M>): View<M> {
  const covered = coveredBy(known);
  return { ...known.view, pieces: known.view.pieces.filter((piece) => piece.from < covered) };
}
