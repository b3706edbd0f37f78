import { exceeds } from '../budget.ts';
import type { ResolvedConfig } from '../config.ts';
import type { Strategy, Turn, TurnResult } from '../strategy.ts';
import { keepNewest, MARKER_TOKENS } from './newest.ts';

/** What it says of a result that it cut: the length is that of the whole, as its authors have it. */
const TRUNCATED = '[…truncated, {chars} chars]';
const TRIMMED = '[Earlier conversation trimmed — {dropped} messages removed to stay within context budget]';

/**
 * A chain of two: tool results over `tool_output_trim_chars` cut in all but the last exchange, then the first two messages
 * and the newest. Both wait for the budget to be exceeded and then go down to its target.
 */
export function governed({ tool_output_trim_chars: chars }: ResolvedConfig): readonly Strategy[] {
  const isLong = (result: TurnResult) => result.chars > (chars || Number.POSITIVE_INFINITY) && !result.masked;
  const trim: Strategy = {
    name: 'governed-trim',
    due: () => false,
    judge: (turns) => ({
      verdicts: turns.map((turn, i) => (i < turns.length - 1 && turn.results.some(isLong) ? 'mask' : 'keep')),
      note: 'none',
      mask_chars: chars,
      wording: { mask: TRUNCATED },
    }),
  };
  const window: Strategy = {
    name: 'governed-window',
    due: (size, budget) => exceeds(size, budget.max),
    judge(turns, budget) {
      const cut = (turn: Turn) =>
        turn.results.reduce((sum, result) => sum + (isLong(result) ? result.chars - chars : 0), 0);
      const tokens = (turn: Turn) => turn.tokens - Math.floor(cut(turn) * budget.rates.character);
      const verdicts = keepNewest(turns, budget, { note: MARKER_TOKENS, bound: () => budget.target, tokens });
      return { verdicts, note: 'marker', wording: { marker: TRIMMED } };
    },
  };
  return chars > 0 ? [trim, window] : [window];
}
