import type { ResolvedConfig } from '../config.ts';
import { HoldfastError } from '../errors.ts';
import { exceeds } from '../size/budget.ts';
import type { Strategy } from '../strategy.ts';
import { keepNewest } from './newest.ts';

const strategy: Strategy = {
  name: 'rolling',
  newest: true,
  due: (size, budget) => exceeds(size, budget.max),
  judge: (turns, budget) => ({ verdicts: keepNewest(turns, budget, { bound: () => budget.target }), note: 'none' }),
};

/** The newest `max_messages` messages, oldest first out, and no note. Throws BAD_CONFIG where there is no such limit. */
export function rolling({ max_messages }: ResolvedConfig): readonly Strategy[] {
  if (max_messages < Number.POSITIVE_INFINITY) return [strategy];
  const text = 'max_messages is 0, and rolling keeps the newest so many: give a whole number from 1 on';
  throw new HoldfastError('BAD_CONFIG', text, { key: 'max_messages' });
}
