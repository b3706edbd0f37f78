import type { ConversationHistoryConfig, ResolvedConfig } from '../config.ts';
import { HoldfastError, shown } from '../errors.ts';
import type { Share } from '../size/budget.ts';
import type { Strategy, StrategyName } from '../strategy.ts';
import { fold } from './fold.ts';
import { governed } from './governed.ts';
import { rolling } from './rolling.ts';
import { sliding } from './sliding.ts';
import { twoTier } from './two-tier.ts';

/** A name for a strategy or a chain of them, and its own defaults for keys that the user did not set. */
interface Named {
  make(config: ResolvedConfig): readonly Strategy[];
  defaults?(given: ConversationHistoryConfig): Partial<ResolvedConfig>;
  /** Keys that only this strategy reads. */
  readonly keys?: readonly (keyof ConversationHistoryConfig)[];
}

const NAMED: Readonly<Record<StrategyName, Named>> = {
  fold: { make: () => [fold] },
  sliding: { make: () => [sliding] },
  governed: {
    make: governed,
    keys: ['max_history_messages', 'tool_output_trim_chars'],
    defaults: ({ max_history_messages = 40 }) => ({ max_messages: max_history_messages, preserve_first_n: 2 }),
  },
  'two-tier': {
    make: twoTier,
    keys: ['tier_thresholds'],
    defaults: () => ({ max_messages: 0, preserve_last_n: 8 }),
  },
  rolling: { make: rolling, defaults: () => ({ max_messages: 50, preserve_first_n: 0 }) },
};

type Wanted = ResolvedConfig['strategy'];

function listOf(wanted: Wanted): readonly (StrategyName | Strategy)[] {
  return Array.isArray(wanted) ? wanted : [wanted as StrategyName | Strategy];
}

function named(one: StrategyName | Strategy): Named | undefined {
  return typeof one === 'string' && Object.hasOwn(NAMED, one) ? NAMED[one] : undefined;
}

/** What the named strategies bring for keys that were not given; in a list, the first that brings one. */
export function defaultsOf(wanted: Wanted, given: ConversationHistoryConfig): Partial<ResolvedConfig> {
  return Object.assign(
    {},
    ...listOf(wanted)
      .map((one) => named(one)?.defaults?.(given))
      .reverse(),
  );
}

/** Keys that were given and that no wanted strategy reads, each with the one that does. Pure. */
export function idleKeys(wanted: Wanted, given: ConversationHistoryConfig): [key: string, strategy: string][] {
  return Object.entries(NAMED).flatMap(([name, { keys = [] }]) =>
    listOf(wanted).includes(name as StrategyName)
      ? []
      : keys.filter((key) => given[key] !== undefined).map((key): [string, string] => [key, name]),
  );
}

/** The strategies that a configuration asks for; throws BAD_CONFIG for a name nobody knows. */
export function strategiesOf(config: ResolvedConfig): readonly Strategy[] {
  const list = listOf(config.strategy);
  if (list.length === 0)
    throw new HoldfastError('BAD_CONFIG', `strategy is an empty list: give ${Object.keys(NAMED).join(' or ')}`, {
      key: 'strategy',
    });
  return list.flatMap((one) => {
    const made = named(one)?.make(config);
    if (made) return made;
    if (typeof one !== 'string' && typeof one?.judge === 'function' && typeof one.due === 'function') return [one];
    throw new HoldfastError(
      'BAD_CONFIG',
      `strategy ${shown(one)} is unknown: give ${Object.keys(NAMED).join(', ')} or an object with due() and judge()`,
      { key: 'strategy' },
    );
  });
}

/** The shares that a fold goes down to, and the tokens that they are shares of: the smallest that any strategy asks for. */
export function targetOf(strategies: readonly Strategy[]): Share {
  const shares = strategies.map(({ target }) => target ?? { messages: 0.5, tokens: 0.5 });
  return {
    messages: Math.min(...shares.map(({ messages }) => messages)),
    tokens: Math.min(...shares.map(({ tokens }) => tokens)),
    of: Math.min(...strategies.map(({ fold_tokens = Number.POSITIVE_INFINITY }) => fold_tokens)),
  };
}
