import { MARKER_TOKENS } from '../note/fit-note.ts';
import { exceeds } from '../size/budget.ts';
import type { Strategy } from '../strategy.ts';
import { keepNewest } from './newest.ts';

/** Keeps head and tail, and the newest of the middle as far as the target allows. */
export const sliding: Strategy = {
  name: 'sliding',
  newest: true,
  due: (size, budget) => exceeds(size, budget.max),
  judge: (turns, budget) => ({
    verdicts: keepNewest(turns, budget, {
      note: MARKER_TOKENS,
      // `preserve_last_n` is a promise about messages: tokens still go down to the target, or the next call would fold again.
      bound: (turn) => (turn.recent ? { ...budget.target, messages: budget.max.messages } : budget.target),
    }),
    note: 'marker',
  }),
};
