import { shortestNote } from '../note/fit-note.ts';
import { exceeds, type Size } from '../size/budget.ts';
import { overLimits } from '../size/media-limits.ts';
import { addLoads, NO_LOAD } from '../size/tokens.ts';
import type { NoteKind } from '../strategy.ts';
import { sizeOf } from '../view/view.ts';
import { type Cutter, maskTurn, previewWords, type ViewTurn } from '../view/view-turn.ts';
import { hasDigest } from './ask-strategy.ts';
import { maskFewest, newestChars } from './cut-newest.ts';
import { type FoldInput, type FoldTurn, loadNow } from './fold-turn.ts';

/** How short results and arguments of turns that must stay get after that, before the floor is declared too large. */
const FEW_CHARS = [160, 0];

/** Over a provider's limits, a fold goes down to this share of them, or the next image would need another fold. Not measured. */
const LIMITS_TARGET = 0.5;

/**
 * Brings what the strategies left inside the budget, oldest first: masks results and drops turns; then the same for the head
 * and the user's words; then masks results and arguments of the floor's turns, the largest first. Returns the size of the floor
 * if that alone is over. `isNoted`: there will be a note.
 */
export function enforce<M>(
  input: FoldInput<M>,
  turns: readonly FoldTurn<M>[],
  maskChars: number,
  isNoted: boolean,
): Size | undefined {
  const draft = new Draft(input, turns, isNoted);
  if (!draft.isOver()) return undefined;
  const cutter = { ...input, overLimits: draft.isOverLimits() };
  const loose = turns.filter((turn) => !turn.floor && !turn.aside);
  const plain = loose.filter((turn) => !turn.before.words && !turn.head);
  const dear = loose.filter((turn) => turn.before.words || turn.head);
  for (const group of [plain, dear]) reduce(cutter, draft, group, maskChars);
  const firm = turns.filter((turn) => turn.aside || turn.yields);
  for (const turn of firm) for (const chars of newestChars(input, turn.before)) maskLargest(cutter, draft, turn, chars);
  for (const chars of FEW_CHARS) for (const turn of firm) maskLargest(cutter, draft, turn, chars);
  const beside = firm.filter((turn) => !turn.aside && !turn.newest);
  draft.aim(1);
  for (const turn of beside)
    draft.shrink([turn], (now) => previewWords(input, now, (at) => !turn.instructs.includes(at)));
  draft.drop(turns.filter((turn) => turn.aside && !turn.floor));
  return draft.isOver() ? draft.size() : undefined;
}

/** Continues down to the goal, with room for the note: oldest first, the newest last; touches neither floor nor head. */
export function approach<M>(
  given: FoldInput<M>,
  { most, budget: { preserve_last_n } }: NonNullable<FoldInput<M>['goal']>,
  turns: readonly FoldTurn<M>[],
  maskChars: number,
  note: NoteKind,
): void {
  const room = hasDigest(note) ? given.budget.note : 0;
  const max = { ...most, tokens: most.tokens - room };
  const input = { ...given, budget: { ...given.budget, max } };
  const draft = new Draft(input, turns, note !== 'none');
  const loose = turns.filter((turn) => !turn.floor && !turn.aside && !turn.head);
  const rank = ({ before }: FoldTurn<M>) => (before.from >= given.seen - preserve_last_n ? 2 : before.words ? 1 : 0);
  const groups = [0, 1, 2].map((own) => loose.filter((turn) => rank(turn) === own));
  for (const group of groups) reduce(input, draft, group, maskChars);
}

/** Masks results, shortens words, then drops turns, until the draft fits. */
function reduce<M>(input: FoldInput<M>, draft: Draft<M>, group: readonly FoldTurn<M>[], maskChars: number): void {
  draft.aim(LIMITS_TARGET);
  draft.shrink(group, (now) => maskTurn(input, now, maskChars));
  draft.shrink(group, (now) => (now.asks ? previewWords(input, now, undefined, draft.isOverLimits()) : now));
  draft.aim(1);
  draft.drop(group);
}

function maskLargest<M>(cutter: Cutter<M>, draft: Draft<M>, turn: FoldTurn<M>, chars: number): void {
  if (!draft.isTooLarge()) return;
  const fits = (now: ViewTurn<M>) => {
    draft.set(turn, now);
    return !draft.isTooLarge();
  };
  draft.set(turn, maskFewest(cutter, turn.before, chars, fits));
}

/** The turns with their running size. */
class Draft<M> {
  readonly #input: FoldInput<M>;
  readonly #overLimits: boolean;
  #share = 1;
  #load = NO_LOAD;
  readonly #note: number;
  #noted: boolean;

  constructor(input: FoldInput<M>, turns: readonly FoldTurn<M>[], isNoted: boolean) {
    this.#input = input;
    this.#load = loadNow(turns);
    this.#overLimits = this.isOverLimits();
    this.#note = isNoted ? shortestNote(input.dialect, input.revisions) : 0;
    this.#noted = input.view.note !== undefined || turns.some((turn) => turn.now !== turn.before);
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

  /** Sets the share of the provider's limits that counts from now on, if the view was over them. */
  aim(share: number): void {
    this.#share = this.#overLimits ? share : 1;
  }

  /** True if it is over in a way that shortening helps against. */
  isTooLarge(): boolean {
    return this.size().tokens > this.#input.budget.max.tokens || this.isOverLimits();
  }

  set(turn: FoldTurn<M>, now: ViewTurn<M> | undefined): void {
    if (now === turn.now) return;
    this.#load = addLoads(addLoads(this.#load, [turn.now], -1), [now]);
    this.#noted = true;
    turn.now = now;
  }

  shrink(turns: readonly FoldTurn<M>[], shorter: (now: ViewTurn<M>) => ViewTurn<M>): void {
    for (const turn of turns) {
      if (!this.isTooLarge()) return;
      if (turn.now) this.set(turn, shorter(turn.now));
    }
  }

  drop(turns: readonly FoldTurn<M>[]): void {
    for (const turn of turns) {
      if (!this.isOver()) return;
      this.set(turn, undefined);
    }
  }
}
