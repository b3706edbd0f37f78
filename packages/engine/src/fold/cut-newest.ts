import { contentText } from '../content.ts';
import { overLimits } from '../size/media-limits.ts';
import { addLoads, type Load, NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { Cut } from '../view/mask.ts';
import { isTooMuch } from '../view/view.ts';
import { cutPiece, newCuts, type Piece, savingCuts } from '../view/view-turn.ts';
import type { FoldInput, FoldTurn } from './fold-turn.ts';

/** Characters that stay of a result of the newest turn. */
export const NEWEST_CHARS = 400;

/** A newest turn that was cut may take at most this share of a view, because it cannot be shortened again. Not measured. */
const NEWEST_SHARE = 0.25;

/** Masks only the newest results, where no fold could keep them whole and that is enough. False if not; then nothing changes. */
export function cutNewest<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): boolean {
  const { dialect, load, budget, calibration } = input;
  const newest = turns.at(-1);
  const isOver = (all: Load) => isTooMuch(dialect, all, budget, calibration);
  const floor = turns.filter((turn) => turn.floor).map(({ before }) => before);
  if (!newest?.newest || newest.now !== newest.before || !isOver(addLoads(NO_LOAD, floor))) return false;
  const rest = addLoads(load, [newest.before], -1);
  const cutter = { ...input, overLimits: overLimits(load, dialect.limits) !== '' };
  const piece = maskFewest(cutter, newest.before, NEWEST_CHARS, (one) => !isOver(addLoads(rest, [one])));
  if (isOver(addLoads(rest, [piece]))) return false;
  if (tokensOf(piece.load, calibration) > budget.max.tokens * NEWEST_SHARE) return false;
  const first = piece.messages.findIndex((message, i) => message !== newest.before.messages[i]);
  if (piece.readings.some(({ thinking }, i) => thinking && i >= first)) return false;
  newest.now = piece;
  return true;
}

/** The piece with as few of its largest results masked as it takes to fit, or all. More masks never make it larger. */
export function maskFewest<M>(
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
