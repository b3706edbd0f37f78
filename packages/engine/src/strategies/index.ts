import type { Size } from '../budget.ts';
import { HoldfastError } from '../errors.ts';
import type { Strategy, StrategyName } from '../strategy.ts';
import { fold } from './fold.ts';
import { sliding } from './sliding.ts';

const NAMED: Readonly<Record<StrategyName, Strategy>> = { fold, sliding };

/** The strategies that a configuration asks for; throws BAD_CONFIG for a name nobody knows. */
export function strategiesOf(
  wanted: StrategyName | Strategy | readonly (StrategyName | Strategy)[],
): readonly Strategy[] {
  const list = typeof wanted === 'object' && 'length' in wanted ? wanted : [wanted];
  if (list.length === 0)
    throw new HoldfastError('BAD_CONFIG', `strategy is an empty list: give ${Object.keys(NAMED).join(' or ')}`, {
      key: 'strategy',
    });
  return list.map((one) => {
    const strategy = typeof one === 'string' ? NAMED[one] : one;
    if (typeof strategy?.judge === 'function' && typeof strategy.due === 'function') return strategy;
    throw new HoldfastError(
      'BAD_CONFIG',
      `strategy ${JSON.stringify(one)} is unknown: give ${Object.keys(NAMED).join(', ')} or an object with due() and judge()`,
      { key: 'strategy' },
    );
  });
}

/** The shares of `max` that a fold goes down to: the smallest that any of the strategies asks for. */
export function targetOf(strategies: readonly Strategy[]): Size {
  const shares = strategies.map(({ target }) => target ?? { messages: 0.5, tokens: 0.5 });
  return {
    messages: Math.min(...shares.map(({ messages }) => messages)),
    tokens: Math.min(...shares.map(({ tokens }) => tokens)),
  };
}
