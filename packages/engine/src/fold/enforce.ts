import { contentText } from '../content.ts';
import { shortestNote } from '../note/fit-note.ts';
import { exceeds, type Size } from '../size/budget.ts';
import { overLimits } from '../size/media-limits.ts';
import { addLoads, type Load, NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { NoteKind } from '../strategy.ts';
import { cutPiece, maskPiece, newCuts, type Piece, previewWords, savingCuts } from '../view/piece.ts';
import { isTooMuch, sizeOf } from '../view/view.ts';
import { WEIGHT } from './ask-strategy.ts';
import type { FoldInput, Seat } from './fold.ts';
import type { Cut } from './mask.ts';

/** How short the results of turns that must stay may get, step by step, before the floor is declared too large. */
const FLOOR_CHARS = [400, 160, 0] as const;

/** Over a provider's limits, a fold goes down to this share of them, or the next image would be another fold. Not measured. */
const LIMITS_TARGET = 0.5;

/**
 * Brings what a strategy left inside the budget, whatever it judged, oldest first: results masked, turns dropped; then the
 * same for head and user's words; then the results of the floor's turns masked, the largest first. Gives
 * the size of the floor if that alone is over. `isNoted`: what goes is spoken for by a note.
 */
export function enforce<M>(
  input: FoldInput<M>,
  seats: readonly Seat<M>[],
  maskChars: number,
  isNoted: boolean,
): Size | undefined {
  const draft = new Draft(input, seats, isNoted);
  if (!draft.isOver()) return undefined;
  const cutter = { ...input, overLimits: draft.isOverLimits() };
  const loose = seats.filter((seat) => !seat.floor && !seat.aside);
  const plain = loose.filter((seat) => !seat.before.words && !seat.head);
  const dear = loose.filter((seat) => seat.before.words || seat.head);
  for (const group of [plain, dear]) reduce(cutter, draft, group, maskChars);
  const firm = seats.filter((seat) => seat.aside || seat.newest);
  for (const chars of FLOOR_CHARS)
    for (const seat of firm) maskLargest(cutter, draft, seat, Math.min(chars, maskChars));
  draft.drop(seats.filter((seat) => seat.aside));
  return draft.isOver() ? draft.size() : undefined;
}

/** Goes on to the goal, with room for the note, where a strategy left more: oldest first, the newest last; neither floor nor head. */
export function approach<M>(
  given: FoldInput<M>,
  { most, budget: { preserve_last_n } }: NonNullable<FoldInput<M>['goal']>,
  seats: readonly Seat<M>[],
  maskChars: number,
  note: NoteKind,
): void {
  const room = WEIGHT[note] >= WEIGHT.digest ? given.budget.note : 0;
  const max = { ...most, tokens: most.tokens - room };
  const input = { ...given, budget: { ...given.budget, max } };
  const draft = new Draft(input, seats, note !== 'none');
  const loose = seats.filter((seat) => !seat.floor && !seat.aside && !seat.head);
  const rank = ({ before }: Seat<M>) => (before.from >= given.seen - preserve_last_n ? 2 : before.words ? 1 : 0);
  for (const group of [0, 1, 2])
    reduce(
      input,
      draft,
      loose.filter((seat) => rank(seat) === group),
      maskChars,
    );
}

/** Results masked, words shortened, then turns dropped, until the draft fits. */
function reduce<M>(input: FoldInput<M>, draft: Draft<M>, group: readonly Seat<M>[], maskChars: number): void {
  draft.aim(LIMITS_TARGET);
  draft.shrink(group, (piece) => maskPiece(input, piece, maskChars));
  draft.shrink(group, (piece) => (piece.asks ? previewWords(input, piece, draft.isOverLimits()) : piece));
  draft.aim(1);
  draft.drop(group);
}

/** What is left of the newest turn may be no more than this share of a view: it cannot be shortened again. Not measured. */
const NEWEST_SHARE = 0.25;

/**
 * Masks the newest results alone, where no fold could keep them whole and that is enough. False, and nothing is changed, if
 * it is not so.
 */
export function cutNewest<M>(input: FoldInput<M>, seats: readonly Seat<M>[]): boolean {
  const { dialect, load, budget, calibration } = input;
  const newest = seats.at(-1);
  const isOver = (all: Load) => isTooMuch(dialect, all, budget, calibration);
  const floor = seats.filter((seat) => seat.floor).map(({ before }) => before);
  if (!newest?.newest || newest.now !== newest.before || !isOver(addLoads(NO_LOAD, floor))) return false;
  const rest = addLoads(load, [newest.before], -1);
  const cutter = { ...input, overLimits: overLimits(load, dialect.limits) !== '' };
  const piece = shortened(cutter, newest.before, FLOOR_CHARS[0], (one) => !isOver(addLoads(rest, [one])));
  if (isOver(addLoads(rest, [piece]))) return false;
  if (tokensOf(piece.load, calibration) > budget.max.tokens * NEWEST_SHARE) return false;
  const first = piece.messages.findIndex((message, i) => message !== newest.before.messages[i]);
  if (piece.readings.some(({ thinking }, i) => thinking && i >= first)) return false;
  newest.now = piece;
  return true;
}

/** The piece with as few of its largest results masked as it takes to fit, or all. More masks never make it larger. */
function shortened<M>(
  input: FoldInput<M> & { readonly overLimits: boolean },
  piece: Piece<M>,
  chars: number,
  fits: (piece: Piece<M>) => boolean,
): Piece<M> {
  const length = ({ at, part }: Cut) => contentText(piece.readings[at - piece.from]?.results[part]?.content).length;
  const cuts = savingCuts(input, piece, newCuts(piece, chars)).toSorted((a, b) => length(b) - length(a));
  const masked = (count: number) => cutPiece(input.dialect, piece, cuts.slice(0, count), input.eras);
  let least = 1;
  let most = cuts.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (fits(masked(middle))) most = middle;
    else least = middle + 1;
  }
  return masked(most);
}

function maskLargest<M>(
  input: FoldInput<M> & { readonly overLimits: boolean },
  draft: Draft<M>,
  seat: Seat<M>,
  chars: number,
): void {
  if (!draft.isTooLarge()) return;
  const fits = (piece: Piece<M>) => {
    draft.set(seat, piece);
    return !draft.isTooLarge();
  };
  draft.set(seat, shortened(input, seat.before, chars, fits));
}

/** The seats with their running size. */
class Draft<M> {
  readonly #input: FoldInput<M>;
  readonly #bulky: boolean;
  #share = 1;
  #load = NO_LOAD;
  readonly #note: number;
  #noted: boolean;

  constructor(input: FoldInput<M>, seats: readonly Seat<M>[], isNoted: boolean) {
    this.#input = input;
    this.#load = addLoads(
      NO_LOAD,
      seats.map(({ now }) => now),
    );
    this.#bulky = this.isOverLimits();
    this.#note = isNoted ? shortestNote(input.dialect) : 0;
    this.#noted = input.view.note !== undefined || seats.some((seat) => seat.now !== seat.before);
  }

  /** With room for the shortest note, if anything was changed or there was one before. */
  size(): Size {
    const note = this.#noted && this.#note > 0 ? { load: { ...NO_LOAD, messages: 1, chars: this.#note } } : undefined;
    return sizeOf(addLoads(this.#load, [note]), this.#input.budget, this.#input.calibration);
  }

  isOver(): boolean {
    return exceeds(this.size(), this.#input.budget.max) || this.isOverLimits();
  }

  isOverLimits(): boolean {
    return overLimits(this.#load, this.#input.dialect.limits, this.#share) !== '';
  }

  /** From now on, this share of the provider's limits counts, if the view was over them. */
  aim(share: number): void {
    this.#share = this.#bulky ? share : 1;
  }

  /** Over in what shortening helps against. */
  isTooLarge(): boolean {
    return this.size().tokens > this.#input.budget.max.tokens || this.isOverLimits();
  }

  set(seat: Seat<M>, now: Piece<M> | undefined): void {
    if (now === seat.now) return;
    this.#load = addLoads(addLoads(this.#load, [seat.now], -1), [now]);
    this.#noted = true;
    seat.now = now;
  }

  shrink(seats: readonly Seat<M>[], shorter: (piece: Piece<M>) => Piece<M>): void {
    for (const seat of seats) {
      if (!this.isTooLarge()) return;
      if (seat.now) this.set(seat, shorter(seat.now));
    }
  }

  drop(seats: readonly Seat<M>[]): void {
    for (const seat of seats) {
      if (!this.isOver()) return;
      this.set(seat, undefined);
    }
  }
}
