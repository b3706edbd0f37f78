import { TOOLS_HEADING } from '../note/render-note.ts';
import { exceeds } from '../size/budget.ts';
import type { Strategy } from '../strategy.ts';
import { keepNewest } from './newest.ts';

/** Keys that only this strategy reads, with their defaults. */
export const TWO_TIER: { readonly tier_thresholds: readonly [number, number] } = { tier_thresholds: [80_000, 120_000] };

/** The default of `preserve_last_n`. A history of no more messages has nothing to summarize. */
export const INTACT = 8;

/**
 * Keeps the last messages intact (`preserve_last_n`) with a note for all others: the digest, or a summary once the whole
 * history is over the second of `tier_thresholds`.
 */
export function twoTier({ tier_thresholds: [first, second] }: typeof TWO_TIER): readonly Strategy[] {
  const strategy: Strategy = {
    name: 'two-tier',
    fold_tokens: first,
    // Its own rule says when: a history over the second threshold, of more than INTACT messages.
    summary: { sections: true, max_tokens: 2_000, least_messages: 1 },
    due: (size, budget) => size.tokens > first || exceeds(size, budget.max),
    judge(turns, budget) {
      const { messages, tokens } = budget.history;
      const most = { messages: budget.max.messages, tokens: Math.min(first, budget.max.tokens) };
      return {
        verdicts: keepNewest(turns, budget, {
          note: budget.note,
          bound: (turn) => (turn.recent ? most : { messages: 0, tokens: 0 }),
        }),
        note: tokens > second && messages > INTACT ? 'summary' : 'digest',
        wording: { tools: TOOLS_HEADING },
      };
    },
  };
  return [strategy];
}
