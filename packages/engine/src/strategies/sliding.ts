import { exceeds } from '../budget.ts';
import type { Strategy } from '../strategy.ts';
import { keepNewest, MARKER_TOKENS } from './newest.ts';

/** The seeds' window: head and tail kept, the newest of the middle as far as the target allows, the oldest out. */
export const sliding: Strategy = {
  name: 'sliding',
  due: (size, budget) => exceeds(size, budget.max),
  judge: (turns, budget) => ({
    verdicts: keepNewest(turns, budget, {
      note: MARKER_TOKENS,
      bound: (turn) => (turn.recent ? budget.max : budget.target),
    }),
    note: 'marker',
  }),
};
