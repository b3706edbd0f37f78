import { contentText } from '../content/text.ts';
import type { Reading } from '../dialect.ts';
import { overLimits } from '../size/media-limits.ts';
import { addLoads, type Load, NO_LOAD, tokensOf } from '../size/tokens.ts';
import { argumentChars, type Cut } from '../view/mask.ts';
import { ARGUMENTS } from '../view/mask-arguments.ts';
import { isTooMuch } from '../view/view.ts';
import { type Cutter, cutTurn, newCuts, type Shown, savingCuts, type ViewTurn } from '../view/view-turn.ts';
import type { FoldInput, FoldTurn } from './fold-turn.ts';

/**
 * What may stay of the large results and long arguments of the newest turn: this share of the room for messages together, or if
 * that is too much, this many characters of each. The measures are the same from 5% to 15%: docs/decisions/0036.
 */
const PART_SHARE = 0.08;
const PART_CHARS = 400;

/** The newest turn may be nothing but a call that writes a file larger than the budget. */
const ARGUMENTS_TOO: Shown = {
  repeats: () => undefined,
  spare: [],
  excerpts: [],
  runs: () => [],
  shortArguments: true,
};

/** A newest turn that was cut may take at most this share of a view, because it cannot be shortened again. Not measured. */
const NEWEST_SHARE = 0.25;

/** Masks only the newest turn, where no fold could keep it whole and that is enough. False if not; then nothing changes. */
export function cutNewest<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): boolean {
  const { dialect, load, budget, calibration } = input;
  const newest = turns.findLast((turn) => turn.newest);
  const isOver = (all: Load) => isTooMuch(dialect, all, budget, calibration);
  const floor = turns.filter((turn) => turn.floor).map(({ before }) => before);
  if (!newest || newest.now !== newest.before || !isOver(addLoads(NO_LOAD, floor))) return false;
  const rest = addLoads(load, [newest.before], -1);
  const cutter = { ...input, overLimits: overLimits(load, dialect.limits) !== '' };
  const fits = (one: ViewTurn<M>) => !isOver(addLoads(rest, [one]));
  const shorter = newestChars(input, newest.before)
    .map((chars) => maskFewest(cutter, newest.before, chars, fits))
    .find(fits);
  if (!shorter || tokensOf(shorter.load, calibration) > budget.max.tokens * NEWEST_SHARE) return false;
  const first = shorter.messages.findIndex((message, i) => message !== newest.before.messages[i]);
  if (shorter.readings.some(({ thinking }, i) => thinking && i >= first)) return false;
  newest.now = shorter;
  return true;
}

/** How many characters may stay of each large part of this turn, the most first. */
export function newestChars<M>({ budget, calibration }: FoldInput<M>, turn: ViewTurn<M>): number[] {
  const parts = newCuts(turn, PART_CHARS, undefined, ARGUMENTS_TOO).reduce((count, { at, part }) => {
    const texts = part === ARGUMENTS ? argumentChars(turn.readings[at - turn.from] as Reading, PART_CHARS).length : 1;
    return count + texts;
  }, 0);
  const room = (PART_SHARE * (budget.max.tokens - budget.reserve)) / calibration.slope;
  const share = Math.floor(room / Math.max(1, parts));
  return share > PART_CHARS && Number.isFinite(share) ? [share, PART_CHARS] : [PART_CHARS];
}

/**
 * The turn with as few of its largest results and long arguments masked as it takes to fit, or all. More masks never make it
 * larger.
 */
export function maskFewest<M>(
  input: Cutter<M>,
  turn: ViewTurn<M>,
  chars: number,
  fits: (turn: ViewTurn<M>) => boolean,
): ViewTurn<M> {
  const length = ({ at, part }: Cut) => {
    const reading = turn.readings[at - turn.from] as Reading;
    return part === ARGUMENTS
      ? argumentChars(reading, chars).reduce((sum, one) => sum + one, 0)
      : contentText(reading.results[part]?.content).length;
  };
  const all = newCuts(turn, chars, undefined, ARGUMENTS_TOO);
  const cuts = savingCuts(input, turn, all, cutTurn(input, turn, all)).sort((a, b) => length(b) - length(a));
  const masked = (count: number) => cutTurn(input, turn, cuts.slice(0, count));
  let least = 1;
  let most = cuts.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (fits(masked(middle))) most = middle;
    else least = middle + 1;
  }
  return masked(most);
}
