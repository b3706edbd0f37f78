import { once } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { type Digest, DigestBuilder } from '../note/digest.ts';
import { fileFacts } from '../note/files.ts';
import { noteText } from '../note/fit-note.ts';
import type { Budget, Size } from '../size/budget.ts';
import { overBudget } from '../size/floor.ts';
import { type Calibration, type Load, tokensOf } from '../size/tokens.ts';
import type { Eras, Hidden } from '../state/archive.ts';
import type { NoteKind, NotePlace, Strategy, Verdict, Wording } from '../strategy.ts';
import type { Summary } from '../summaries/folded.ts';
import {
  latestFrom,
  type Measure,
  maskPiece,
  type Piece,
  PieceTurn,
  previewWords,
  type Repeats,
  unthinkPiece,
} from '../view/piece.ts';
import { firstDifference, isTooMuch, type View, viewOf } from '../view/view.ts';
import { judged, SEVERITY, WEIGHT } from './ask-strategy.ts';
import { approach, cutNewest, enforce } from './enforce.ts';
import { excerptsOf } from './excerpt.ts';
import { focusOf, focusWords } from './focus.ts';
import { isPinned } from './pins.ts';

export interface FoldInput<M> {
  readonly dialect: Dialect<M>;
  readonly strategies: readonly Strategy[];
  readonly view: View<M>;
  readonly load: Load;
  readonly budget: Budget;
  readonly calibration: Calibration;
  readonly digest: Digest;
  readonly eras: Eras;
  /** Messages of the history that the view accounts for. */
  readonly seen: number;
  readonly pins: readonly number[];
  readonly summary: Summary;
  /** Every fold is to have a summary, whatever the strategy asks for. */
  readonly summarize: boolean;
  readonly focus?: string;
  /** Asked for by `compact()`. */
  readonly compacts?: boolean;
  /** For `compact()`: what strategies go by, and what the fold goes down to as far as it can without touching what must stay. */
  readonly goal?: { readonly budget: Budget; readonly most: Size };
  /** Only results that have left the last exchange are to be cut. */
  readonly trims?: boolean;
  /** The strategies' own words and the note's place, once they have judged. */
  readonly wording?: Wording;
  readonly place?: NotePlace;
}

/** A piece before the fold and what becomes of it; undefined if it is dropped. */
export interface Seat<M> {
  readonly before: Piece<M>;
  now: Piece<M> | undefined;
  /** May not be dropped; of the floor, only the newest turn may be masked, and only if it is not pinned. */
  readonly floor: boolean;
  readonly pinned: boolean;
  /** The newest words of the user stand in it, beside tool results: it goes when nothing else is left to go. */
  readonly aside: boolean;
  readonly newest: boolean;
  readonly head: boolean;
}

export interface FoldOutput<M> {
  readonly view: View<M>;
  readonly digest: Digest;
  readonly kind: NoteKind;
  readonly wording: Wording;
  readonly hidden: Hidden<M>;
  readonly seats: readonly Seat<M>[];
  /** First position of the view that is not as before. */
  readonly changedFrom: number;
}

const MASK_CHARS = 400;
/** Shorter results are not worth a comparison. */
const REPEATED_CHARS = 400;
/** Share of the target that the user's words keep, word for word and then as previews, the newest first (decision 17). */
const WORDS_SHARE = 0.3;

/** Judges and enacts. Pure. Undefined if nothing would change. Throws OVER_BUDGET if the floor alone is too large. */
export function foldView<M>(input: FoldInput<M>): FoldOutput<M> | undefined {
  const { dialect, view, calibration } = input;
  const { budget } = input.goal ?? input;
  const aimed = { ...input, budget };
  const all = seatsOf(input);
  // What was sent stays as it was, and the cache with it, where only what is new cannot stay.
  if (!input.trims && cutNewest(input, all)) return assemble(input, all, 'none', true);
  const seats = input.strategies.every((strategy) => strategy.newest) ? dropDistant(aimed, all) : all;
  // Read when a strategy first asks for it: one that keeps the newest asks for nothing.
  const near = once(() => withinReach(view.pieces, budget));
  const newest = once(() => newestResults(near()));
  const repeats: Repeats = (content, id) => {
    const later = typeof content === 'string' ? newest().get(content) : undefined;
    return later === id ? undefined : later;
  };
  const runs = excerptsOf(dialect, near);
  const { verdicts, note, place, maskChars, wording, spare, excerpts } = judge(aimed, seats, {
    calibration,
    excerpts: runs,
    repeats,
    files: once(() => fileFacts(dialect, near(), input.digest)),
  });
  const worded = { ...input, wording, place };
  seats.forEach((seat, i) => {
    const verdict = verdicts[i] === 'drop' && seat.aside ? 'mask' : verdicts[i];
    if (verdict === 'drop' && !seat.floor) seat.now = undefined;
    if (verdict === 'mask' && (seat.newest || !seat.floor))
      seat.now = maskPiece(worded, seat.before, maskChars, repeats, {
        spare: spare[i] ?? [],
        excerpts: excerpts[i] ?? [],
        runs,
      });
  });
  if (input.trims) return trimmed(worded, seats);
  restoreWords(aimed, seats);
  if (input.goal) approach(input, input.goal, all, Math.min(maskChars, MASK_CHARS), note);
  const isOver = isTooMuch(dialect, input.load, input.budget, calibration);
  const floor = enforce(input, all, Math.min(maskChars, MASK_CHARS), note !== 'none');
  if (floor && isOver) throw overBudget(input, seats, floor);
  dropMisplaced(dialect, seats);
  const unchanged = all.every((seat) => seat.now === seat.before);
  if (!isOver && (unchanged || floor)) return undefined;
  return assemble(worded, all, note);
}

/** Drops turns so old that the budget is full before them, and gives those that are left to judge. */
function dropDistant<M>({ budget: { max }, calibration }: FoldInput<M>, seats: readonly Seat<M>[]): Seat<M>[] {
  let messages = 0;
  let tokens = 0;
  let nearest = seats.length;
  while (nearest > 0 && messages <= max.messages && tokens <= max.tokens) {
    const { before, floor, head } = seats[--nearest] as Seat<M>;
    if (floor || head) continue;
    messages += before.messages.length;
    tokens += tokensOf(before.load, calibration);
  }
  return seats.filter((seat, i) => {
    const stays = i >= nearest || seat.floor || seat.head || seat.before.words;
    if (!stays) seat.now = undefined;
    return stays;
  });
}

/** A fold that only cuts results. Undefined if it would cut none. */
function trimmed<M>(input: FoldInput<M>, seats: readonly Seat<M>[]): FoldOutput<M> | undefined {
  const { dialect } = input;
  if (!seats.some((seat) => verdictOf(seat) === 'mask')) return undefined;
  for (const seat of seats) seat.now ??= seat.before;
  if (dialect.thinking === 'bound' && thinksBehindCut(seats))
    for (const seat of seats) seat.now &&= unthinkPiece(dialect, seat.now);
  return assemble(input, seats, 'none', true);
}

/** True if thinking stands behind the first message that is cut. */
function thinksBehindCut<M>(seats: readonly Seat<M>[]): boolean {
  let isBehind = false;
  return seats.some(({ before, now }) =>
    before.readings.some(({ thinking }, i) => {
      isBehind ||= now?.messages[i] !== before.messages[i];
      return isBehind && thinking;
    }),
  );
}

/** Which pieces are the floor and which the head. */
export function seatsOf<M>({ dialect, view, budget, pins }: FoldInput<M>): Seat<M>[] {
  const { pieces } = view;
  // A message of nothing but thinking cannot stay where thinking cannot.
  const vanishes = (piece: Piece<M>) => dialect.thinking === 'bound' && unthinkPiece(dialect, piece) === undefined;
  const last = pieces.findLastIndex((piece) => !vanishes(piece));
  const firstAsk = pieces.findIndex((piece) => piece.asks);
  const newestAsk = pieces.findLastIndex((piece) => piece.asks);
  const newestWords = pieces.findLastIndex(
    ({ words, readings }) =>
      words && readings.some((one) => one.words && one.role !== 'assistant' && one.role !== 'system'),
  );
  const head = headLength(pieces, budget.preserve_first_n);
  let leading = true;
  // What must follow a turn that must stay has to stay with it.
  let carried = false;
  return pieces.map((piece, i) => {
    leading &&= piece.role === 'system';
    const pinned = isPinned(piece, pins);
    const held = pinned || piece.firm || carried;
    carried = held && endsInSystem(dialect, piece);
    const newest = i === last && !pinned;
    const carries = i === last - 1 && pieces[last]?.role === 'system';
    const floor = leading || held || i === firstAsk || i === newestAsk || i === last || carries;
    const now = vanishes(piece) ? undefined : piece;
    return { before: piece, now, floor, pinned, aside: !floor && i === newestWords, newest, head: i < head };
  });
}

/** True for a turn behind which, in this format, an assistant must speak. */
function endsInSystem<M>({ systemInside }: Dialect<M>, piece: Piece<M> | undefined): boolean {
  return systemInside === 'after-user' && piece?.readings.at(-1)?.role === 'system';
}

/** Leading system messages and whole turns up to `preserve_first_n` messages, at least the first; never the newest turn. */
function headLength<M>(pieces: readonly Piece<M>[], first: number): number {
  let head = 0;
  while (pieces[head]?.role === 'system') head++;
  const system = head;
  let messages = 0;
  while (head < pieces.length - 1) {
    messages += pieces[head]?.messages.length ?? 0;
    if (messages > first && head > system) break;
    head++;
  }
  return head;
}

function judge<M>(input: FoldInput<M>, seats: readonly Seat<M>[], measure: Measure) {
  const { budget, dialect, strategies } = input;
  const last = input.seen - budget.preserve_last_n;
  const words = focusWords(input.focus ?? '');
  const { pieces } = input.view;
  const latest = pieces[latestFrom(pieces)]?.from ?? 0;
  const turns = seats.map(({ before, floor, head }) => {
    const recent = before.from + before.messages.length > last;
    const place = { kept: floor || head, recent, latest: before.from >= latest };
    return new PieceTurn(before, measure, place, focusOf(dialect, before, words));
  });
  const verdicts: Verdict[] = turns.map(() => 'keep');
  let note: NoteKind = input.summarize ? 'summary' : 'none';
  let maskChars: number | undefined;
  let wording: Wording = {};
  let place: NotePlace = 'head';
  const spare: (readonly number[])[] = [];
  const excerpts: (readonly number[])[] = [];
  for (const strategy of strategies) {
    const answer = judged(strategy, turns, budget);
    answer.verdicts.forEach((verdict, i) => {
      if (SEVERITY[verdict] > SEVERITY[verdicts[i] ?? 'keep']) verdicts[i] = verdict;
      if (verdict !== 'mask') return;
      spare[i] = common(spare[i], answer.spare?.[i]);
      excerpts[i] = common(excerpts[i], answer.excerpts?.[i]);
    });
    if (WEIGHT[answer.note] > WEIGHT[note]) note = answer.note;
    const { mask_chars: chars = maskChars } = answer;
    maskChars = chars === undefined ? undefined : Math.min(chars, maskChars ?? chars);
    wording = { ...wording, ...answer.wording };
    place = answer.note_place ?? place;
  }
  return { verdicts, note, place, maskChars: maskChars ?? MASK_CHARS, wording, spare, excerpts };
}

/** What two strategies agree on; all of one that is the first to say something. */
function common(before: readonly number[] | undefined, own: readonly number[] = []): readonly number[] {
  return before?.filter((result) => own.includes(result)) ?? own;
}

/** As many of the newest turns as the budget holds: older ones will not stay in any form. And the user's first words. */
function withinReach<M>(pieces: readonly Piece<M>[], budget: Budget): readonly Piece<M>[] {
  const oldest = Math.max(0, pieces.length - budget.max.messages);
  let chars = 0;
  let i = pieces.length;
  const first = pieces.find((piece) => piece.asks);
  while (i > oldest && chars * budget.rates.character <= budget.max.tokens) chars += pieces[--i]?.load.chars ?? 0;
  return pieces.filter((piece, at) => at >= i || piece === first);
}

/** Each result that is worth a comparison, and the newest call that brought it. */
function newestResults<M>(pieces: readonly Piece<M>[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { readings } of pieces.toReversed())
    for (const { results } of readings)
      for (const { id, content } of results)
        if (typeof content === 'string' && content.length > REPEATED_CHARS && !newest.has(content))
          newest.set(content, id);
  return newest;
}

/** The user's own words outlive a strategy's verdict up to their share; then the oldest are shortened behind handles. */
function restoreWords<M>(input: FoldInput<M>, seats: readonly Seat<M>[]): void {
  const { budget, calibration } = input;
  const room = (budget.target.tokens - budget.reserve) * WORDS_SHARE;
  let tokens = 0;
  let messages = 0;
  for (const seat of seats.toReversed()) {
    if (seat.floor || seat.aside || !seat.before.words) continue;
    messages += seat.before.messages.length;
    if (messages > budget.target.messages / 4) return;
    const whole = seat.before.asks ? seat.before : (seat.now ?? maskPiece(input, seat.before, 0));
    // What a strategy keeps it has paid for.
    const fits = seat.now === whole || tokens + tokensOf(whole.load, calibration) <= room;
    const stands = fits ? whole : previewWords(input, seat.before);
    if (!fits && (tokens >= room || stands === seat.before)) return;
    seat.now = stands;
    tokens += tokensOf(seat.now.load, calibration);
  }
}

/** A turn goes when a fold leaves behind it what may not follow it: no assistant behind a system message, calls behind words. */
function dropMisplaced<M>({ systemInside, callsAfterUser }: Dialect<M>, seats: readonly Seat<M>[]): void {
  if (systemInside !== 'after-user' && !callsAfterUser) return;
  let next: Piece<M> | undefined;
  for (const seat of seats.toReversed()) {
    const { role, readings } = seat.before;
    const last = readings.at(-1)?.role;
    const isMisplaced =
      last === 'system'
        ? systemInside === 'after-user' && role !== last && next?.role !== 'assistant'
        : callsAfterUser && last === 'assistant' && next?.readings[0]?.calls.length;
    if (isMisplaced && !seat.floor && next) seat.now = undefined;
    next = seat.now ?? next;
  }
}

/** `light`: only results were cut, and the note is as before. */
function assemble<M>(input: FoldInput<M>, seats: readonly Seat<M>[], kind: NoteKind, light = false): FoldOutput<M> {
  const { dialect, eras, view, wording = {}, place } = input;
  const digest = light || WEIGHT[kind] >= WEIGHT.digest ? digestOf(input, seats) : input.digest;
  // Thinking that stays must be one unbroken run, so behind a change none stays, nor before it.
  if (dialect.thinking === 'bound' && !light) for (const seat of seats) seat.now &&= unthinkPiece(dialect, seat.now);
  const pieces: Piece<M>[] = [];
  const places: number[] = [];
  const messages: M[] = [];
  let head = 0;
  for (const { before, now, head: isHead } of seats) {
    if (now) pieces.push(now);
    if (now && isHead) head++;
    if (now === before) continue;
    for (let i = 0; i < before.messages.length; i++) {
      if (!isOriginal(before, before.from + i)) continue;
      places.push(before.from + i);
      messages.push(before.messages[i] as M);
    }
  }
  if (place === 'newest' && mayStandLate(dialect, pieces, head)) head = Math.max(head, pieces.length - 1);
  // A note is never last: where nothing stands behind the head, as when the newest was all thinking, there is none.
  const isNoted = kind !== 'none' && head < pieces.length;
  const text = isNoted ? noteText(input, pieces, digest, kind, input.summary.text) : undefined;
  const next = light ? withPieces(input, seats, pieces) : viewOf(dialect, pieces, head, text);
  return {
    view: next,
    digest,
    kind,
    wording,
    hidden: { places, messages, eras },
    seats,
    changedFrom: firstDifference(view, next),
  };
}

/** The view with these pieces for its own, and its note, if it has one, where and as it was. */
function withPieces<M>(
  { dialect, view }: FoldInput<M>,
  seats: readonly Seat<M>[],
  pieces: readonly Piece<M>[],
): View<M> {
  if (pieces.length === view.pieces.length) return { ...view, pieces };
  const head = seats.slice(0, view.head).filter(({ now }) => now).length;
  return viewOf(dialect, pieces, head, view.note?.text);
}

/**
 * False if the note has to stand behind the head: between a system message and what could not follow it, or before thinking,
 * which providers let go that stands before the last words in the user's role.
 */
function mayStandLate<M>(dialect: Dialect<M>, pieces: readonly Piece<M>[], head: number): boolean {
  if (endsInSystem(dialect, pieces[head - 1]) && pieces[head]?.role !== 'assistant') return false;
  if (pieces.length - 1 > head && endsInSystem(dialect, pieces.at(-2))) return false;
  const ask = pieces.findLastIndex((piece) => piece.asks);
  return !pieces.slice(ask + 1, -1).some(({ readings }) => readings.some(({ thinking }) => thinking));
}

/** The same fold with this summary in its note. Pure. */
export function withSummary<M>(input: FoldInput<M>, output: FoldOutput<M>, summary: string): FoldOutput<M> {
  const { digest, kind, view, wording } = output;
  const text = noteText({ ...input, wording }, view.pieces, digest, kind, summary);
  const next = viewOf(input.dialect, view.pieces, view.head, text);
  return { ...output, view: next, changedFrom: firstDifference(input.view, next) };
}

/** A message that an earlier fold changed is in the archive already. */
function isOriginal<M>(piece: Piece<M>, at: number): boolean {
  return !piece.unthought && (piece.cuts.length === 0 || !piece.cuts.some((cut) => cut.at === at));
}

/** What became of a seat. */
export function verdictOf<M>({ before, now }: Seat<M>): Verdict {
  if (now === undefined) return 'drop';
  return now.cuts.length > before.cuts.length ? 'mask' : 'keep';
}

/** Takes in what this fold hides. Only a cold start hides more text than the budget holds: then the newest of it is read. */
function digestOf<M>(input: FoldInput<M>, seats: readonly Seat<M>[]): Digest {
  const hidden = seats.filter((seat) => verdictOf(seat) !== 'keep');
  let room = Math.min(400_000, input.budget.max.tokens / input.calibration.slope);
  let near = hidden.length;
  while (near > 0 && room > 0) room -= hidden[--near]?.before.load.chars ?? 0;
  const builder = new DigestBuilder(input.dialect, input.digest);
  for (const { before, now } of hidden.slice(near)) builder.add(before, now);
  for (const { before, now } of hidden.slice(0, near).reverse()) if (!now) builder.skim(before);
  return builder.finish(input.seen);
}
