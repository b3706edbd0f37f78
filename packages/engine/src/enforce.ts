import { exceeds, type Size } from './budget.ts';
import { contentText } from './content.ts';
import { overBudget } from './floor.ts';
import { type FoldInput, maskPiece, previewWords, type Seat } from './fold.ts';
import { cutsOf } from './mask.ts';
import { SHORTEST_NOTE } from './note.ts';
import { cutPiece, type Piece } from './piece.ts';
import { type Calibration, tokensOf } from './tokens.ts';

/** How short the results of turns that must stay may get, step by step, before the floor is declared too large. */
const FLOOR_CHARS = [400, 160, 0] as const;

/**
 * Brings what a strategy left inside the budget, whatever it judged, oldest first: results masked, turns dropped; then the
 * same for head and user's words; then the results of the floor's turns masked, the largest first. Throws OVER_BUDGET.
 */
export function enforce<M>(input: FoldInput<M>, seats: readonly Seat<M>[], maskChars: number): void {
  const draft = new Draft(input, seats);
  if (!draft.isOver()) return;
  const loose = seats.filter((seat) => !seat.floor && !seat.aside);
  const plain = loose.filter((seat) => !seat.before.words && !seat.head);
  const dear = loose.filter((seat) => seat.before.words || seat.head);
  for (const group of [plain, dear]) {
    draft.shrink(group, (piece) => maskPiece(input, piece, maskChars));
    draft.shrink(group, (piece) => (piece.asks ? previewWords(input, piece) : piece));
    draft.drop(group);
  }
  const firm = seats.filter((seat) => seat.aside || (seat.floor && seat.maskable));
  for (const chars of FLOOR_CHARS) for (const seat of firm) maskLargest(input, draft, seat, Math.min(chars, maskChars));
  draft.drop(seats.filter((seat) => seat.aside));
  if (draft.isOver()) throw overBudget(input, seats, draft.size());
}

/** Masks the results of a turn one by one, always from the originals. */
function maskLargest<M>(input: FoldInput<M>, draft: Draft<M>, seat: Seat<M>, chars: number): void {
  const { before } = seat;
  if (before.cuts.length > 0 || !draft.isOverTokens()) return;
  const length = (at: number, part: number) =>
    contentText(before.readings[at - before.from]?.results[part]?.content).length;
  const cuts = before.readings
    .flatMap((reading, i) => cutsOf(reading, before.from + i, chars, () => undefined))
    .sort((a, b) => length(b.at, b.part) - length(a.at, a.part));
  for (let n = 1; n <= cuts.length && draft.isOverTokens(); n++) {
    draft.set(seat, cutPiece(input.dialect, before, cuts.slice(0, n), input.eras));
  }
}

/** The seats with their running size. */
class Draft<M> {
  readonly #input: FoldInput<M>;
  readonly #calibration: Calibration;
  #messages = 0;
  #tokens = 0;
  #noted: boolean;

  constructor(input: FoldInput<M>, seats: readonly Seat<M>[]) {
    this.#input = input;
    this.#calibration = input.calibration;
    for (const seat of seats) this.#add(seat.now, 1);
    this.#noted = input.view.note !== undefined || seats.some((seat) => seat.now !== seat.before);
  }

  /** With room for the shortest note, if anything was changed or there was one before. */
  size(): Size {
    const note = this.#noted ? tokensOf({ messages: 1, chars: SHORTEST_NOTE, media: 0 }, this.#calibration) : 0;
    return {
      messages: this.#messages + (this.#noted ? 1 : 0),
      tokens: this.#input.budget.reserve + this.#tokens + note,
    };
  }

  isOver(): boolean {
    return exceeds(this.size(), this.#input.budget.max);
  }

  isOverTokens(): boolean {
    return this.size().tokens > this.#input.budget.max.tokens;
  }

  set(seat: Seat<M>, now: Piece<M> | undefined): void {
    if (now === seat.now) return;
    this.#add(seat.now, -1);
    this.#add(now, 1);
    this.#noted = true;
    seat.now = now;
  }

  shrink(seats: readonly Seat<M>[], shorter: (piece: Piece<M>) => Piece<M>): void {
    for (const seat of seats) {
      if (!this.isOverTokens()) return;
      if (seat.now) this.set(seat, shorter(seat.now));
    }
  }

  drop(seats: readonly Seat<M>[]): void {
    for (const seat of seats) {
      if (!this.isOver()) return;
      this.set(seat, undefined);
    }
  }

  #add(piece: Piece<M> | undefined, sign: 1 | -1): void {
    if (piece === undefined) return;
    this.#messages += sign * piece.messages.length;
    this.#tokens += sign * tokensOf(piece.load, this.#calibration);
  }
}
