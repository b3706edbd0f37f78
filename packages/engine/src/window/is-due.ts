import { badAnswer } from '../errors.ts';
import { type Budget, copyBudget, type Size } from '../size/budget.ts';
import type { Strategy } from '../strategy.ts';

/** True if one of the strategies wants a fold. Throws BAD_CONFIG for an invalid answer. */
export function isDue(strategies: readonly Strategy[], size: Size, budget: Budget): boolean {
  return strategies.some((strategy) => {
    const answer: unknown = strategy.due({ ...size }, copyBudget(budget));
    if (typeof answer === 'object') throw badAnswer(strategy.name, 'due() must return true or false, not a promise');
    return answer;
  });
}
