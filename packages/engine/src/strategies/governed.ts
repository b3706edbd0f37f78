import { TOOLS_HEADING } from '../note/render-note.ts';
import { exceeds } from '../size/budget.ts';
import type { Strategy, Turn } from '../strategy.ts';
import { keepNewest } from './newest.ts';
import { isLong, TRIM_CHARS, toolOutputTrimmer } from './trimmer.ts';

/** Keys that only this strategy reads, with their defaults. 0: results are not cut, messages not limited. */
export const GOVERNED = { max_history_messages: 40, tool_output_trim_chars: TRIM_CHARS };

const TRIMMED = '[Earlier conversation trimmed — {dropped} messages removed to stay within context budget]';

/**
 * A chain of two: cuts tool results over `tool_output_trim_chars` as they leave the last exchange; then, once there are too
 * many messages, keeps the first two and the newest, down to the target.
 */
export function governed({ tool_output_trim_chars: chars }: typeof GOVERNED): readonly Strategy[] {
  const window: Strategy = {
    name: 'governed-window',
    due: (size, budget) => exceeds(size, budget.max),
    judge(turns, budget) {
      const cut = ({ latest, results }: Turn) =>
        results.reduce((sum, one) => sum + (chars > 0 && !latest && isLong(one, chars) ? one.chars - chars : 0), 0);
      const tokens = (turn: Turn) => turn.tokens - Math.floor(cut(turn) * budget.rates.character);
      const verdicts = keepNewest(turns, budget, { note: budget.note, bound: () => budget.target, tokens });
      return { verdicts, note: 'digest', wording: { marker: TRIMMED, tools: TOOLS_HEADING } };
    },
  };
  return chars > 0 ? [toolOutputTrimmer(chars), window] : [window];
}
