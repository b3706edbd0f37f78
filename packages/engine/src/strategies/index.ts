import { HoldfastError, shown } from '../errors.ts';
import type { Share } from '../size/budget.ts';
import type { Strategy } from '../strategy.ts';
import { FOLD, fold } from './fold.ts';
import { GOVERNED, governed } from './governed.ts';
import { rolling } from './rolling.ts';
import { sliding } from './sliding.ts';
import { INTACT, TWO_TIER, twoTier } from './two-tier.ts';

interface Defaults {
  readonly max_messages?: number;
  readonly preserve_first_n?: number;
  readonly preserve_last_n?: number;
}

/** A name for a strategy or a chain of them, with its defaults. */
interface Named {
  make(config: StrategyConfig & { readonly max_messages: number }): readonly Strategy[];
  /** Keys that only this strategy reads. */
  readonly own?: Partial<StrategyConfig>;
  /** Its defaults for keys that all strategies read. */
  defaults?(given: Partial<StrategyConfig>): Defaults;
  /** Unless `preserve_last_n` is given, `fit()` keeps at most a third of `max_messages` at the end. */
  readonly shortTail?: boolean;
}

/** The built-in strategies, the default first; a new one is its file and a row here. */
const NAMED = {
  fold: { make: fold, own: FOLD, shortTail: true },
  sliding: { make: () => [sliding] },
  governed: {
    make: governed,
    own: GOVERNED,
    defaults: ({ max_history_messages: max_messages = GOVERNED.max_history_messages }) => ({
      max_messages,
      preserve_first_n: 2,
    }),
  },
  'two-tier': { make: twoTier, own: TWO_TIER, defaults: () => ({ max_messages: 0, preserve_last_n: INTACT }) },
  rolling: { make: rolling, defaults: () => ({ max_messages: 50, preserve_first_n: 0 }) },
} satisfies Readonly<Record<string, Named>>;

export type StrategyName = keyof typeof NAMED;
/** The names of the built-in strategies. */
export const STRATEGY_NAMES = Object.keys(NAMED) as [StrategyName, ...StrategyName[]];

/** The defaults of all keys that only one strategy reads. */
export const STRATEGY_CONFIG: StrategyConfig = { ...FOLD, ...GOVERNED, ...TWO_TIER };
export type StrategyConfig = typeof FOLD & typeof GOVERNED & typeof TWO_TIER;

/** One strategy or several, as the configuration names them. */
export type Wanted = StrategyName | Strategy | readonly (StrategyName | Strategy)[];

function listOf(wanted: Wanted): readonly (StrategyName | Strategy)[] {
  return Array.isArray(wanted) ? wanted : [wanted as StrategyName | Strategy];
}

function named(one: StrategyName | Strategy): Named | undefined {
  return typeof one === 'string' && Object.hasOwn(NAMED, one) ? NAMED[one] : undefined;
}

/** The named strategies' defaults for keys that all strategies read; in a list, the first that has one. */
export function defaultsOf(wanted: Wanted, given: Partial<StrategyConfig>): Defaults {
  return Object.assign(
    {},
    ...listOf(wanted)
      .map((one) => named(one)?.defaults?.(given))
      .reverse(),
  );
}

/** True for a strategy that keeps a short tail by default. */
export function hasShortTail(wanted: Wanted): boolean {
  return !Array.isArray(wanted) && named(wanted as StrategyName | Strategy)?.shortTail === true;
}

/** Keys that were given but that no configured strategy reads, each with the strategy that does. Pure. */
export function idleKeys(wanted: Wanted, given: Partial<StrategyConfig>): [key: string, strategy: string][] {
  return Object.entries<Named>(NAMED).flatMap(([name, { own = {} }]) =>
    listOf(wanted).includes(name as StrategyName)
      ? []
      : (Object.keys(own) as (keyof StrategyConfig)[])
          .filter((key) => given[key] !== undefined)
          .map((key): [string, string] => [key, name]),
  );
}

/** True if these strategies ask for summaries unless `summarize_on_trim` is false. Throws BAD_CONFIG for an unknown name. */
export function asksForSummaries(wanted: Wanted): boolean {
  const made = strategiesOf({ ...STRATEGY_CONFIG, max_messages: 1, strategy: wanted });
  return made.some(({ summary }) => summary !== undefined);
}

/** The strategies that a configuration names; throws BAD_CONFIG for an unknown name. */
export function strategiesOf(
  config: Parameters<Named['make']>[0] & { readonly strategy: Wanted },
): readonly Strategy[] {
  const list = listOf(config.strategy);
  if (list.length === 0) throw badStrategy(list, 'is an empty list');
  return list.flatMap((one) => {
    const made = named(one)?.make(config);
    if (made) return made;
    if (typeof one !== 'string' && typeof one?.judge === 'function' && typeof one.due === 'function') return [one];
    throw badStrategy(one, 'is unknown');
  });
}

function badStrategy(given: unknown, wrong: string): HoldfastError {
  const expected = `${Object.keys(NAMED).join(', ')}, or an object with due() and judge()`;
  return new HoldfastError('BAD_CONFIG', `strategy ${shown(given)} ${wrong}: expected ${expected}`, {
    key: 'strategy',
  });
}

/** Most tokens of a note. From replays: less forgets names that calls repeat (decision 33). */
const NOTE_TOKENS = 3_000;

/** The shares of the budget that a fold goes down to, and the tokens that they are shares of: the smallest of any strategy. */
export function targetOf(strategies: readonly Strategy[]): Share {
  const shares = strategies.map(({ target }) => target ?? { messages: 0.5, tokens: 0.5 });
  return {
    messages: Math.min(...shares.map(({ messages }) => messages)),
    tokens: Math.min(...shares.map(({ tokens }) => tokens)),
    note: Math.min(...strategies.map(({ note_tokens = NOTE_TOKENS }) => note_tokens)),
    words: (room) => Math.min(...strategies.map(({ note_words }) => note_words?.(room) ?? 0)),
    of: Math.min(...strategies.map(({ fold_tokens = Number.POSITIVE_INFINITY }) => fold_tokens)),
  };
}
