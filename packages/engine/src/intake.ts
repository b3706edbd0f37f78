import { type ArchiveEntry, type Eras, handleOf, newEra } from './archive.ts';
import type { Size } from './budget.ts';
import { badImage } from './bulk.ts';
import { definedKeys, freeze, frozen, hashValue, isRecord, isText, sameValue } from './content.ts';
import type { Dialect } from './dialect.ts';
import type { HoldfastError } from './errors.ts';
import { type Piece, pieceOf, renewPiece, unthinkPiece } from './piece.ts';
import type { RepairMemo } from './repair.ts';
import { enact, type FoldEntry, keptTurns, restoreView, type WindowState } from './state.ts';
import { addLoads, type Calibration, type Load, NO_LOAD } from './tokens.ts';
import { brokenRule, readTurns, unpaired } from './turns.ts';
import { sendable, type View, viewLoad } from './view.ts';

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
  readonly edge: M | undefined;
  /** The caller's messages since then; the first `seen - covered` count, a failed call may have left more. */
  readonly recent: M[];
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
    recent: [],
    ids: new Set(),
    fresh: [],
    stripped: [],
  };
}

/** What is known with another view, of which everything is settled. */
export function withView<M>(dialect: Dialect<M>, known: Known<M>, view: View<M>): Known<M> {
  return { ...known, view, load: viewLoad(view), ids: new Set(callIds(dialect, view.pieces)), fresh: [], stripped: [] };
}

/** What a window knew whose state this is. Throws BAD_STATE if the state does not add up. */
export function restoreKnown<M>(dialect: Dialect<M>, state: WindowState<M>): Known<M> {
  // Copies: the caller's state stays the caller's.
  const { view: _, log: folded, undone: back, seen, ...rest } = state;
  const { eras, folds, pins, hold, turns } = frozen(rest);
  const log = folded.map(frozen);
  const undone = back.map(frozen);
  const view = restoreView(dialect, { ...state, turns });
  const { covered = 0, said: before = NO_LOAD } = log.at(-1) ?? {};
  const recent: M[] = [];
  const since = view.pieces.filter(({ from }) => from >= covered);
  const said = addLoads(before, since);
  for (const { from, messages } of since)
    for (const [i, message] of messages.entries()) recent[from - covered + i] = message;
  const held = hold ? { hold } : {};
  return withView(dialect, { ...unknownYet<M>(eras), said, log, undone, pins, folds, seen, recent, ...held }, view);
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
  const edge = seen > covered ? known.recent[seen - covered - 1] : known.edge;
  const entry: FoldEntry = {
    covered: seen,
    prior: covered,
    edge: seen > covered ? hashMessage(dialect, edge as M) : (known.log.at(-1)?.edge ?? ''),
    kept: keptTurns(view.pieces),
    head: view.head,
    ...(view.note ? { note: view.note.text } : {}),
    digest,
    summary,
    said,
    calibration,
    ...(trims ? { trims } : {}),
  };
  // State gives it out as it is.
  const log = [...known.log, freeze(entry)].slice(-LOG_DEPTH);
  const { hold: _, ...rest } = known;
  return withView(dialect, { ...rest, log, undone: [], folds: known.folds + 1, edge, recent: [] }, view);
}

/** Messages of the history that the last fold judged. */
export function coveredBy<M>({ log }: Known<M>): number {
  return log.at(-1)?.covered ?? 0;
}

/** The hash by which a fold knows the last message that it covered; cache markers do not count. Pure. */
export function hashMessage<M>(dialect: Dialect<M>, message: M): string {
  return hashValue(plainForm(dialect, message));
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
  // Thinking behind a repair was made before it.
  const bare = stripThinking(dialect, grown, Math.min(repaired, index ?? repaired));
  if (index === undefined) return bare;
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
  const { pins, folds, eras, log, undone, recent } = known;
  const { offset } = given;
  const isFolded = log.length + undone.length > 0;
  checkOffset(known, offset);
  if (isFolded && offset > 0) throw needsWhole(known.seen);
  const history = [...recent.slice(0, offset), ...given.history];
  // What is archived was perhaps edited since.
  const first = { ...unknownYet<M>(isFolded ? newEra(eras, 0) : eras), pins, folds };
  return { known: first, given: { ...given, history, offset: 0 } };
}

function needsWhole(index: number): HoldfastError {
  return brokenRule({ index, rule: 'edited-history', fix: 'Give fit() the whole history once, without offset.' });
}

/** The first place at which the history is not what it was, if any; newer objects of the same messages are taken over. */
function compare<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  { history, offset }: Given<M>,
): { current: Known<M>; index?: number } {
  const covered = coveredBy(known);
  let { edge } = known;
  if (covered > offset) {
    const message = history[covered - 1 - offset];
    if (message === undefined) return { current: known, index: offset + history.length };
    if (message !== edge && hashMessage(dialect, message) !== known.log.at(-1)?.edge)
      return { current: known, index: covered - 1 };
    edge = message;
  }
  const renewed = new Map<number, M>();
  for (const piece of known.view.pieces) {
    if (piece.from >= covered) break;
    const index = renewFolded(dialect, piece, { history, offset }, renewed);
    if (index !== undefined) return { current: known, index };
  }
  for (let at = Math.max(covered, offset); at < known.seen; at++) {
    const message = history[at - offset];
    const before = known.recent[at - covered];
    if (message === before && message !== undefined) continue;
    if (message === undefined || !isSame(dialect, message, before))
      return { current: renew(dialect, known, edge, renewed), index: at };
    renewed.set(at, message);
  }
  return { current: edge === known.edge && renewed.size === 0 ? known : renew(dialect, known, edge, renewed) };
}

/** Compares a folded turn that stands as it arrived; gives the place of a difference. */
function renewFolded<M>(
  dialect: Dialect<M>,
  piece: Piece<M>,
  { history, offset }: Given<M>,
  renewed: Map<number, M>,
): number | undefined {
  if (piece.cuts.length > 0 || piece.unthought) return undefined;
  for (const [i, before] of piece.messages.entries()) {
    const at = piece.from + i;
    const message = at < offset ? undefined : history[at - offset];
    if (message === undefined || message === before) continue;
    if (!isSame(dialect, message, before)) return at;
    renewed.set(at, message);
  }
  return undefined;
}

/**
 * Cache markers do not count, nor whether a text stands alone or in a block. A message that was restored from a state may
 * lack its thinking, or be nothing (undefined) if it was all thinking.
 */
export function isSame<M>(dialect: Dialect<M>, message: M, before: M | undefined): boolean {
  const plain = plainForm(dialect, message);
  if (before !== undefined && sameValue(plain, plainForm(dialect, before))) return true;
  if (dialect.thinking !== 'bound' || !isRecord(message) || !dialect.read(message).thinking) return false;
  const bare = dialect.withoutThinking(message);
  return bare === undefined || before === undefined
    ? bare === before
    : sameValue(plainForm(dialect, bare), plainForm(dialect, before));
}

function plainForm<M>(dialect: Dialect<M>, message: M): unknown {
  const plain: unknown = isRecord(message) ? dialect.withMarkers(message, 0) : message;
  if (!isRecord(plain) || !Array.isArray(plain.content) || plain.content.length !== 1) return plain;
  const [block] = plain.content;
  const isBare = isRecord(block) && isText(block) && definedKeys(block).length === 2;
  return isBare ? { ...plain, content: block.text } : plain;
}

/** The caller's newer objects for the same messages: their cache markers may differ. */
function renew<M>(
  dialect: Dialect<M>,
  known: Known<M>,
  edge: M | undefined,
  renewed: ReadonlyMap<number, M>,
): Known<M> {
  const covered = coveredBy(known);
  for (const [at, message] of renewed) if (at >= covered) known.recent[at - covered] = message;
  const pieces = known.view.pieces.map((piece) => renewPiece(dialect, piece, renewed));
  return { ...known, edge, view: { ...known.view, pieces } };
}

/** Back to before the difference: folds beyond it are discarded, the last that holds is made again from the history. */
function rewind<M>(dialect: Dialect<M>, known: Known<M>, { history, offset }: Given<M>, index: number): Known<M> {
  const holds = ({ covered, edge }: FoldEntry) => {
    if (covered > index || covered <= offset) return covered <= index;
    return hashMessage(dialect, history[covered - 1 - offset] as M) === edge;
  };
  const place = known.log.findLastIndex(holds);
  const entry = known.log[place];
  const isLast = place >= 0 && place === known.log.length - 1;
  const seen = entry?.covered ?? 0;
  if (offset > (isLast ? seen : 0)) throw needsWhole(index);
  const eras = newEra(known.eras, seen);
  const folded = isLast ? foldedPart(known) : entry && enact(dialect, history, entry, eras);
  const edge = seen > offset ? history[seen - 1 - offset] : isLast ? known.edge : undefined;
  const said = entry?.said ?? NO_LOAD;
  const { hold: _, ...rest } = known;
  const pins = known.pins.filter(
    (pin) => pin < index || pin >= known.seen || isUnchanged(dialect, known, pin, history[pin - offset]),
  );
  const log = known.log.slice(0, place + 1);
  const back = { ...rest, said, log, undone: [], pins, eras, seen, edge, recent: [] };
  return withView(dialect, back, folded ?? { pieces: [], head: 0 });
}

/** True if the message that stood at this place of the view is the one that is given now. */
function isUnchanged<M>(dialect: Dialect<M>, { view }: Known<M>, index: number, message: M | undefined): boolean {
  const piece = view.pieces.find(({ from, messages }) => from <= index && index < from + messages.length);
  return message !== undefined && piece !== undefined && isSame(dialect, message, piece.messages[index - piece.from]);
}

/** The view up to the last fold's edge. */
function foldedPart<M>(known: Known<M>): View<M> {
  const covered = coveredBy(known);
  return { ...known.view, pieces: known.view.pieces.filter((piece) => piece.from < covered) };
}

/** The newest turn, if the next message belongs to it: a server tool's result, or a system message that must follow it. */
function reopens<M>(dialect: Dialect<M>, known: Known<M>, next: M | undefined): Piece<M> | undefined {
  const piece = known.view.pieces.at(-1);
  if (!piece || !isRecord(next) || piece.from < coveredBy(known) || piece.unthought) return undefined;
  const { role } = dialect.read(next);
  const last = piece.readings.at(-1);
  const speaker = piece.readings.findLast((reading) => reading.role === 'assistant');
  const isSystem = role === 'system' && dialect.systemInside === 'after-user';
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
  const added = reopened
    ? readTurns(dialect, [...reopened.messages, ...history.slice(start)], 0, reopened.from).map(pieceOf)
    : readTurns(dialect, history, start, known.seen).map(pieceOf);
  const grown = { load: addLoads(addLoads(NO_LOAD, added), [reopened], -1) };
  const load = addLoads(known.load, [grown]);
  const said = addLoads(known.said, [grown]);
  const pieces = before.length === 0 ? added : [...before, ...added];
  // A fold checks the whole view, so what a cold start is about to fold need not be checked twice. Later messages are
  // checked with the one before them, for rules about neighbours.
  const context = Math.min(1, start);
  if (known.seen > 0) checkRules(dialect, history.slice(start - context), known.seen - context, true, rest);
  else if (!isOver(load)) checkRules(dialect, sendable(dialect, { pieces, head: 0 }), 0, false, rest);
  checkImages(dialect, added);
  const fresh = callIds(dialect, reopened ? added.slice(1) : added);
  checkIds(known, added, fresh);
  const recent = withRecent(known, history, start);
  return { ...known, view: { ...known.view, pieces }, load, said, seen: offset + history.length, fresh, recent };
}

/** The messages since the last fold with the new ones, in the same list: a call is to cost no more than what is new. */
function withRecent<M>(known: Known<M>, history: readonly M[], start: number): M[] {
  const { recent, seen } = known;
  recent.length = seen - coveredBy(known);
  if (recent.length === 0) return history.slice(start);
  for (let i = start; i < history.length; i++) recent.push(history[i] as M);
  return recent;
}

/** Throws INVALID_HISTORY for the first rule of pairing or of the wire format that these messages break. */
export function checkMessages<M>(dialect: Dialect<M>, messages: readonly M[], rest?: boolean): void {
  readTurns(dialect, messages, 0, 0);
  checkRules(dialect, messages, 0, false, rest);
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

function callIds<M>(dialect: Dialect<M>, pieces: readonly Piece<M>[]): string[] {
  if (!dialect.uniqueCallIds) return [];
  const ids: string[] = [];
  for (const { readings } of pieces) for (const { calls } of readings) for (const { id } of calls) ids.push(id);
  return ids;
}

/** After an edit, thinking behind it is bound to words that are no more. */
function stripThinking<M>(dialect: Dialect<M>, known: Known<M>, index: number): Known<M> {
  if (dialect.thinking !== 'bound' || index >= known.seen) return known;
  const stripped: ArchiveEntry<M>[] = [];
  const pieces = known.view.pieces.flatMap((piece) => {
    const bare = piece.from < index || piece.unthought ? piece : unthinkPiece(dialect, piece);
    if (bare === piece) return piece;
    for (const [i, message] of piece.messages.entries())
      stripped.push({ handle: handleOf(piece.from + i, known.eras), message });
    return bare ?? [];
  });
  const view = { ...known.view, pieces };
  return stripped.length === 0 ? known : { ...known, view, load: viewLoad(view), stripped };
}
