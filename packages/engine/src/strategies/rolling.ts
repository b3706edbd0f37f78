import { HoldfastError } from '../errors.ts';
import { exceeds } from '../size/budget.ts';
import type { Strategy } from '../strategy.ts';
import { keepNewest } from './newest.ts';

const strategy: Strategy = {
  name: 'rolling',
  newest: true,
  due: (size, budget) => exceeds(size, budget.max),
  judge: (turns, budget) => ({ verdicts: keepNewest(turns, budget, { bound: () => budget.target }), note: 'changes' }),
};

/** Keeps the newest `max_messages` messages, with no note unless files were changed. Throws BAD_CONFIG without such a limit. */
export function rolling({ max_messages }: { readonly max_messages: number }): readonly Strategy[] {
  if (max_messages < Number.POSITIVE_INFINITY) return [strategy];
  const text = 'max_messages is 0, but rolling keeps that many of the newest: expected a whole number, 1 or more';
  throw new HoldfastError('BAD_CONFIG', text, { key: 'max_messages' });
}
