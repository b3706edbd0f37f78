import { tokensOf } from '../size/tokens.ts';
import { maskPiece, previewWords } from '../view/view-turn.ts';
import type { Decision } from './ask-strategy.ts';
import type { FoldInput, FoldTurn } from './fold-turn.ts';

/** Masks and drops as the strategies decided, as far as each turn's protection allows. */
export function enactVerdicts<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[], decision: Decision<M>): void {
  const cutter = { ...input, wording: decision.wording };
  for (const turn of turns) {
    const { verdict, shown } = decision.verdicts.get(turn) ?? { verdict: 'drop' };
    const isMasked = verdict === 'mask' || (verdict === 'drop' && turn.aside);
    if (isMasked && (turn.newest || !turn.floor))
      turn.now = maskPiece(cutter, turn.before, decision.maskChars, decision.repeats, shown);
    else if (verdict === 'drop' && !turn.floor) turn.now = undefined;
  }
}

/** Share of the target that the user's words keep, word for word and then as previews, the newest first (decision 17). */
const WORDS_SHARE = 0.3;

/** The user's own words outlive a strategy's verdict up to their share; beyond it, the oldest are shortened behind handles. */
export function restoreWords<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): void {
  const { budget, calibration } = input;
  const room = (budget.target.tokens - budget.reserve) * WORDS_SHARE;
  let tokens = 0;
  let messages = 0;
  for (const turn of turns.toReversed()) {
    if (turn.floor || turn.aside || !turn.before.words) continue;
    messages += turn.before.messages.length;
    if (messages > budget.target.messages / 4) return;
    const whole = turn.before.asks ? turn.before : (turn.now ?? maskPiece(input, turn.before, 0));
    // What a strategy keeps it has paid for.
    const fits = turn.now === whole || tokens + tokensOf(whole.load, calibration) <= room;
    const stays = fits ? whole : previewWords(input, turn.before);
    if (!fits && (tokens >= room || stays === turn.before)) return;
    turn.now = stays;
    tokens += tokensOf(stays.load, calibration);
  }
}
