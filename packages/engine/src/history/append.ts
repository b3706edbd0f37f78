import { freeze, frozen, isRecord, once, sameValue } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { badImage } from '../size/media-limits.ts';
import { addLoads, type Calibration, type Load, NO_LOAD } from '../size/tokens.ts';
import { type ArchiveEntry, handleOf, newEra } from '../state/archive.ts';
import {
  type FoldEntry,
  type KeptTurn,
  keptTurns,
  restoreView,
  upgradeEntry,
  type WindowState,
} from '../state/state.ts';
import { brokenRule, fillsPlace, readTurns, unpaired } from '../turns/read-turns.ts';
import { restored, type Snapshot, snapshotOf, type Trace } from '../turns/snapshot.ts';
import { sendable, type View, viewLoad, viewOf } from '../view/view.ts';
import { type Piece, pieceOf, unthinkPiece } from '../view/view-turn.ts';
import { compare, hashMessage, hashTurn, sourcesOf } from './compare.ts';
import { callIds, coveredBy, type Given, type Known, needsWhole, traceAt, unknownYet, withView } from './memory.ts';
import { rewind } from './rewind.ts';

/** What a window knew whose state this is. Throws BAD_STATE if the state does not add up. */
export function restoreKnown<M>(dialect: Dialect<M>, state: WindowState<M>): Known<M> {
  // Copies: the caller's state stays the caller's.
  const { view: _, log: folded, undone: back, seen, ...rest } = state;
  const { eras, folds, pins, hold, turns, transient } = frozen(rest);
  const upgraded = (entry: FoldEntry) => frozen(upgradeEntry(dialect, entry));
  const log = folded.map(upgraded);
  const undone = back.map(upgraded);
  const view = restoreView(dialect, { ...state, turns, log });
  const { covered = 0, said: before = NO_LOAD } = log.at(-1) ?? {};
  const recent: M[] = [];
  const since = view.pieces.filter(({ from }) => from >= covered);
  const said = addLoads(before, since);
  for (const { from, messages } of since)
    for (const [i, message] of messages.entries()) recent[from - covered + i] = message;
  const known = {
    ...unknownYet<M>(eras),
    said,
    log,
    undone,
    pins,
    folds,
    seen,
    recent,
    snapshots: recent.map(snapshotOf),
  };
  return withView(dialect, { ...known, ...(hold ? { hold } : {}), ...(transient ? { transient } : {}) }, view);
}

/** How many folds can be gone back when a history was edited; an older edit is decided afresh. Bounds the state. */
const LOG_DEPTH = 8;

/** What is known once this fold is made. */
export function afterFold<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  { view, digest, summary, trims }: Pick<FoldEntry, 'digest' | 'summary' | 'trims'> & { readonly view: View<M> },
  calibration: Calibration,
): Known<M> {
  const { seen, said } = known;
  const covered = coveredBy(known);
  const edge = seen > covered ? traceAt(known, seen - 1) : known.edge;
  const settled = settledBy(dialect, known, view);
  const sources = sourcesOf(dialect, view.pieces, (at) => traceAt(known, at), known.prints);
  const entry = {
    covered: seen,
    prior: covered,
    edge: seen > covered && edge ? hashMessage(dialect, restored(edge.held)) : (known.log.at(-1)?.edge ?? ''),
    ...(settled ? { settled } : {}),
    head: view.head,
    ...(view.note ? { note: view.note.text } : {}),
    digest,
    summary,
    said,
    calibration,
    ...(trims ? { trims } : {}),
  };
  const log = [...known.log, logged(entry, hashedTurns(dialect, known, view, sources.kept))].slice(-LOG_DEPTH);
  const { hold: _, ...rest } = known;
  const folded = { ...rest, ...sources, log, undone: [], folds: known.folds + 1, edge, recent: [], snapshots: [] };
  return withView(dialect, folded, view);
}

/** The entry as `state()` returns it; `kept` hashes turns on first use. A function of its own, so that the entry keeps no other messages alive. */
function logged(entry: Omit<FoldEntry, 'kept'>, kept: () => readonly KeptTurn[]): FoldEntry {
  return Object.freeze({
    ...freeze(entry),
    get kept() {
      return kept();
    },
  });
}

/** The turns of a view with the hashes of their original messages. Turns without cuts are hashed on first use. */
function hashedTurns<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  { pieces }: View<M>,
  kept: Known<M>['kept'],
): () => readonly KeptTurn[] {
  const covered = coveredBy(known);
  const before = new Map(known.log.at(-1)?.kept.map(({ from, hash }) => [from, hash]));
  const turns = keptTurns(pieces).map((turn) => {
    const { from, count, cuts } = turn;
    if (from < covered) return withHash(turn, before.get(from));
    return cuts ? withHash(turn, hashTurn(dialect, known.recent.slice(from - covered, from - covered + count))) : turn;
  });
  return hashLater(dialect, turns, covered, kept);
}

/** A function of its own, so that it keeps only the messages in the view alive. */
function hashLater<M>(dialect: Dialect<M>, turns: readonly KeptTurn[], covered: number, kept: Known<M>['kept']) {
  const hashed = (turn: KeptTurn) => {
    if (turn.from < covered || turn.cuts) return turn;
    const held = Array.from({ length: turn.count }, (_, i) => (kept.get(turn.from + i) as Trace<M>).held);
    return withHash(turn, hashTurn(dialect, held.map(restored)));
  };
  return once(() => freeze(turns.map(hashed)));
}

function withHash(turn: KeptTurn, hash: string | undefined): KeptTurn {
  return hash === undefined ? turn : { ...turn, hash };
}

/** How far a fold goes without its newest turn, if that stands as it arrived and was not folded before. */
function settledBy<M>(dialect: Dialect<M>, known: Known<M>, { pieces }: View<M>): FoldEntry['settled'] {
  const covered = coveredBy(known);
  const newest = pieces.at(-1);
  const isWhole = newest && !newest.unthought && newest.cuts.length === 0;
  if (!isWhole || newest.from <= covered || newest.from + newest.messages.length < known.seen) return undefined;
  const edge = hashMessage(dialect, known.recent[newest.from - covered - 1] as M);
  return { covered: newest.from, edge, said: addLoads(known.said, [newest], -1) };
}

/**
 * Compares a history with what is known of it and takes in what is new, in time that grows with the messages since the
 * last fold. `isOver` tells of a load that is about to be folded. Throws INVALID_HISTORY; `known` stays as it was.
 */
export function takeIn<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  given: Given<M>,
  isOver: (load: Load) => boolean,
): Known<M> {
  const { history, offset } = given;
  checkOffset(known, offset);
  const { current, index: found } = compare(dialect, known, given);
  const { repaired = Number.POSITIVE_INFINITY } = given;
  const index = repaired < (found ?? known.seen) ? repaired : found;
  const start = index === undefined ? current : rewind(dialect, current, given, index);
  const grown = offset + history.length > start.seen ? append(dialect, start, given, isOver) : start;
  const bare = stripThinking(dialect, known, grown, Math.min(repaired, index ?? repaired));
  if (index === undefined) return bare;
  checkMessages(dialect, sendable(dialect, bare.view), given.rest);
  const folds_discarded = known.log.length - start.log.length;
  const pins_lost = known.pins.filter((pin) => !start.pins.includes(pin));
  return { ...bare, rewritten: { index, folds_discarded, pins_lost } };
}

/** Throws INVALID_HISTORY for an offset beyond what was seen. */
export function checkOffset<M>({ seen }: Known<M>, offset: number): void {
  if (Number.isInteger(offset) && offset >= 0 && offset <= seen) return;
  const fix = `Give an offset from 0 to ${seen}, the messages that the window has seen.`;
  throw brokenRule({ index: offset, rule: 'bad-offset', fix });
}

/**
 * Where to begin when messages turn out to be of another dialect than those before them seemed to be: at the first, for
 * nothing that was checked or decided holds. Throws INVALID_HISTORY.
 */
export function anew<M>(known: Known<M>, given: Given<M>): { readonly known: Known<M>; readonly given: Given<M> } {
  const { pins, folds, eras, log, undone, recent, snapshots } = known;
  const { offset } = given;
  const isFolded = log.length + undone.length > 0;
  checkOffset(known, offset);
  if (isFolded && offset > 0) throw needsWhole(known.seen);
  const history = [...recent.slice(0, offset), ...given.history];
  // What is archived was perhaps edited since.
  const isEdited = isFolded || snapshots.slice(0, known.seen).some((held, i) => !sameValue(restored(held), history[i]));
  const first = { ...unknownYet<M>(isEdited ? newEra(eras, 0) : eras), pins, folds };
  return { known: first, given: { ...given, history, offset: 0 } };
}

/** The newest turn, if the next message belongs to it: a server tool's result, or a system message that must follow it. */
function reopens<M>(dialect: Dialect<M>, known: Known<M>, next: M | undefined): Piece<M> | undefined {
  const piece = known.view.pieces.at(-1);
  if (!piece || !isRecord(next) || piece.from < coveredBy(known) || piece.unthought) return undefined;
  const reading = dialect.read(next);
  const { role } = reading;
  const last = piece.readings.at(-1);
  const speaker = piece.readings.findLast((reading) => reading.role === 'assistant');
  const isSystem =
    dialect.systemInside === 'after-user' && (role === 'system' || fillsPlace(dialect, last?.role, next, reading));
  const goesOn = role === 'assistant' && last?.role === 'assistant' && dialect.splitResponses;
  return isSystem || goesOn || speaker?.joined ? piece : undefined;
}

function append<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  { history, offset, rest }: Given<M>,
  isOver: (load: Load) => boolean,
): Known<M> {
  const start = known.seen - offset;
  const reopened = reopens(dialect, known, history[start]);
  const before = reopened ? known.view.pieces.slice(0, -1) : known.view.pieces;
  const held: Snapshot<M>[] = [];
  const added = reopened
    ? readTurns(dialect, [...reopened.messages, ...history.slice(start)], 0, reopened.from, held).map(pieceOf)
    : readTurns(dialect, history, start, known.seen, held).map(pieceOf);
  const grown = { load: addLoads(addLoads(NO_LOAD, added), [reopened], -1) };
  const load = addLoads(known.load, [grown]);
  const said = addLoads(known.said, [grown]);
  const pieces = before.length === 0 ? added : [...before, ...added];
  // A fold checks the whole view, so what a cold start is about to fold need not be checked twice. Later messages are
  // checked with the one before them, for rules about neighbours.
  const context = Math.min(1, start);
  if (known.seen > 0) checkPart(dialect, history.slice(start - context), known.seen - context, rest);
  else if (!isOver(load)) checkRules(dialect, sendable(dialect, { pieces, head: 0 }), 0, false, rest);
  checkImages(dialect, added);
  const fresh = callIds(dialect, reopened ? added.slice(1) : added);
  checkIds(known, added, fresh);
  const count = known.seen - coveredBy(known);
  const recent = withNew(known.recent, count, history, start);
  const snapshots = withNew(known.snapshots, count, held, reopened?.messages.length ?? 0);
  const { view } = known;
  // Who speaks in a note depends on what comes next.
  const isLate = view.note !== undefined && view.head >= view.pieces.length;
  const next = isLate ? viewOf(dialect, pieces, view.head, view.note?.text) : { ...view, pieces };
  return { ...known, view: next, load, said, seen: offset + history.length, fresh, recent, snapshots };
}

/** The first `count` messages with the new ones, in the same list: a call is to cost no more than what is new. */
function withNew<T>(list: T[], count: number, messages: readonly T[], start: number): T[] {
  list.length = count;
  if (count === 0) return messages.slice(start);
  for (let i = start; i < messages.length; i++) list.push(messages[i] as T);
  return list;
}

/** Throws INVALID_HISTORY for the first rule of pairing or of the wire format that these messages break. */
export function checkMessages<M>(dialect: Dialect<M>, messages: readonly M[], rest?: boolean): void {
  readTurns(dialect, messages, 0, 0);
  checkRules(dialect, messages, 0, false, rest);
}

/** Throws INVALID_HISTORY for the first rule that these messages break at the end of a request. */
export function checkPart<M>(dialect: Dialect<M>, messages: readonly M[], first: number, rest?: boolean): void {
  checkRules(dialect, messages, first, true, rest);
}

/** How an answer may end is a rule for requests that end with it: `rest` says that nothing is about to be sent. */
function checkRules<M>(dialect: Dialect<M>, messages: readonly M[], first: number, part: boolean, rest = false): void {
  const violation = dialect.validate(messages, { part }).find(({ rule }) => !rest || rule !== 'trailing-whitespace');
  if (violation) throw brokenRule({ ...violation, index: first + Math.max(0, violation.index) });
}

/** No fold helps against an image that is too large. */
function checkImages<M>({ limits }: Dialect<M>, added: readonly Piece<M>[]): void {
  for (const { from, load, readings } of added) {
    if (load.images === 0) continue;
    for (const [i, { bulk }] of readings.entries()) {
      const message = bulk && badImage(bulk, limits);
      if (message)
        throw brokenRule({ index: from + i, rule: 'image-too-large', fix: 'Scale the image down.', message });
    }
  }
}

/** New turns are checked by themselves: ids are what they cannot know of the others. */
function checkIds<M>(known: Known<M>, added: readonly Piece<M>[], fresh: readonly string[]): void {
  const met = new Set<string>();
  const twice = fresh.find((id) => known.ids.has(id) || met.size === met.add(id).size);
  if (twice === undefined) return;
  const piece = added.findLast(({ readings }) => readings[0]?.calls.some(({ id }) => id === twice));
  throw unpaired(piece?.from ?? known.seen, 'duplicate-call-id', [twice]);
}

/**
 * Thinking behind an edit, a repair or a transient message is bound to words that are no more, and what was taken out
 * before may not be put back.
 */
function stripThinking<M>(dialect: Dialect<M>, before: Known<M>, known: Known<M>, index: number): Known<M> {
  const answered = before.transient ? before.seen : known.seen;
  if (dialect.thinking !== 'bound' || (index >= known.seen && answered >= known.seen)) return known;
  const thinks = new Set(before.view.pieces.flatMap(({ from, unthought }) => (unthought ? [] : from)));
  const isBare = ({ from, messages }: Piece<M>) =>
    from >= index ||
    from + messages.length > answered ||
    (index < known.seen && from >= coveredBy(known) && from < before.seen && !thinks.has(from));
  const stripped: ArchiveEntry<M>[] = [];
  const mustFollow = (piece: Piece<M> | undefined) =>
    dialect.systemInside === 'after-user' && piece?.readings.at(-1)?.role === 'system';
  const pieces = known.view.pieces.flatMap((piece, i, all) => {
    const bare = piece.unthought || !isBare(piece) ? piece : unthinkPiece(dialect, piece);
    // An assistant has to stand behind a system message, if only with its thinking.
    if (bare === piece || (!bare && mustFollow(all[i - 1]))) return piece;
    for (const [i, message] of piece.messages.entries())
      stripped.push({ handle: handleOf(piece.from + i, known.eras), message });
    return bare ?? [];
  });
  const view = { ...known.view, pieces };
  return stripped.length === 0 ? known : { ...known, view, load: viewLoad(view), stripped };
}
