import { isRecall } from '../calls/call-facts.ts';
import { exceeds } from '../size/budget.ts';
import { tokensOf } from '../size/tokens.ts';
import { maskTurn, type ViewTurn } from '../view/view-turn.ts';
import type { Decision } from './ask-strategy.ts';
import type { FoldInput, FoldTurn } from './fold-turn.ts';

/** Recalled text fills the view at most up to this share of the budget, or the next fold would soon follow. Not measured. */
const FILLED_SHARE = 0.9;

/**
 * What the model recalled since the last fold stays whole, the newest first: folded at once, it would be recalled again. The
 * next fold treats it like anything else; so does a cold start, if the messages since then already fill the budget.
 */
export function restoreRecalled<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[], decision: Decision): void {
  const { budget, calibration, covered } = input;
  const { messages, tokens } = budget.max;
  const most = { messages, tokens: budget.reserve + (tokens - budget.reserve) * FILLED_SHARE };
  const size = { messages: 1, tokens: budget.reserve + budget.note };
  const add = (turn: ViewTurn<M> | undefined, sign: 1 | -1) => {
    size.messages += sign * (turn?.messages.length ?? 0);
    size.tokens += sign * (turn ? tokensOf(turn.load, calibration) : 0);
  };
  for (const { now } of turns) add(now, 1);
  const newer = { messages: 0, tokens: budget.reserve };
  for (let place = turns.length - 1; place >= 0; place--) {
    const turn = turns[place] as FoldTurn<M>;
    const { before, now } = turn;
    if (before.from < covered || exceeds(newer, budget.max)) return;
    newer.messages += before.messages.length;
    newer.tokens += tokensOf(before.load, calibration);
    const recalled = now === before ? [] : recalledResults(before);
    if (recalled.length === 0) continue;
    const shown = decision.shown(place);
    const spare = [...shown.spare, ...recalled];
    const cutter = { ...input, wording: decision.wording };
    const whole = maskTurn(cutter, before, decision.maskChars, { ...shown, spare });
    add(now, -1);
    add(whole, 1);
    if (exceeds(size, most)) {
      add(whole, -1);
      add(now, 1);
    } else turn.now = whole;
  }
}

/** The results of a turn that brought back what had left the view. */
function recalledResults<M>({ readings }: ViewTurn<M>): number[] {
  const recalls = readings.flatMap(({ calls }) => calls.filter(isRecall));
  if (recalls.length === 0) return [];
  const results = readings.flatMap((reading) => reading.results);
  return results.flatMap(({ id }, i) => (recalls.some((call) => call.id === id) ? [i] : []));
}
