import { HoldfastError, shown } from './errors.ts';
import {
  defaultsOf,
  hasShortTail,
  STRATEGY_CONFIG,
  type StrategyConfig,
  type StrategyName,
} from './strategies/index.ts';
import { PREFERENCES, type Preference, type Strategy } from './strategy.ts';

/** How a conversation is kept bounded. One spelling in YAML and in code. */
export interface ConversationHistoryConfig {
  /**
   * Folds when there are more messages than this; 0 = no limit. Default: the strategy's own; otherwise no limit if `max_tokens`
   * is given, and 100 if not.
   */
  readonly max_messages?: number;
  /** Alias of `max_messages`, which wins if both are given. */
  readonly max_conversation_messages?: number;
  /** Folds when there are more tokens than this, `reserve` included. Default: `limit`, or none. */
  readonly max_tokens?: number;
  /** The model's real window, where known. */
  readonly limit?: number;
  /** Tokens outside the messages: system prompt, tool schemas, the answer. Default 0; raised by what `observe()` learns. */
  readonly reserve?: number;
  /** Share of `max` that a fold shrinks the view to. Default: the strategy's own. */
  readonly target?: number;
  /** First messages that are always kept; `fit()` does not count leading system messages. Default 1, or the strategy's own. */
  readonly preserve_first_n?: number;
  /**
   * Messages at the end that are kept as far as the token target allows. Default 20, or the strategy's own. `fit()` keeps at
   * most a third of `max_messages` if these and the first messages would fill it, and by default with `fold`.
   */
  readonly preserve_last_n?: number;
  /** Default `fold`. In a list, the severest verdict wins. */
  readonly strategy?: StrategyName | Strategy | readonly (StrategyName | Strategy)[];
  /**
   * What `fold` weighs more: `price` folds furthest, `memory` folds only when the budget is nearly used up. Default
   * `balance`.
   */
  readonly prefer?: Preference;
  /** `governed` cuts older tool results to this many characters; 0 = not at all. */
  readonly tool_output_trim_chars?: number;
  /** The default of `max_messages` in `governed`; 0 = no limit. */
  readonly max_history_messages?: number;
  /** Tokens: `two-tier` folds a view above the first, and asks for a summary if the history is above the second. */
  readonly tier_thresholds?: readonly [number, number];
  /**
   * A model (`parts.summarizer`) summarizes what folds remove. By default only `two-tier` asks for summaries, above its second
   * threshold; false turns that off, too.
   */
  readonly summarize_on_trim?: boolean;
  /** Passed on to the summarizer. */
  readonly summarization_model?: string;
  /** Longest summary. Default 1024, or the strategy's own. */
  readonly summary_max_tokens?: number;
  /** How long a fold waits for a summary. Default one minute; 0 = no limit. */
  readonly summary_timeout_ms?: number;
  /** Makes broken input valid, without removing anything, instead of refusing it. Default false. */
  readonly repair?: boolean;
  /** Repeats folded lines at the end of the view when the newest messages are about them. Default true. */
  readonly reminders?: boolean;
}

/** The configuration with every default filled in; Infinity where there is no limit. */
export interface ResolvedConfig
  extends StrategyConfig,
    Readonly<Omit<typeof COUNTS, keyof StrategyConfig>>,
    Required<Pick<ConversationHistoryConfig, 'strategy' | 'repair' | 'reminders'>> {
  readonly target: number | undefined;
  /** `max_messages` for `trim()` and `pruneHistory()`, which know no tokens: 100 by default in any case. */
  readonly trim_messages: number;
  /** `preserve_last_n` as `fit()` can keep it and still go down to its target. */
  readonly tail: number;
  /** Undefined: the strategy decides. */
  readonly summarize_on_trim: boolean | undefined;
  readonly summarization_model: string | undefined;
}

const { tier_thresholds: TIER_THRESHOLDS, prefer: PREFER, ...STRATEGY_COUNTS } = STRATEGY_CONFIG;

/** Counts with their defaults. A key that is another's default comes first, so that it is the one named if it is wrong. */
const COUNTS = {
  ...STRATEGY_COUNTS,
  max_messages: 100,
  max_tokens: 0,
  limit: 0,
  reserve: 0,
  preserve_first_n: 1,
  preserve_last_n: 20,
  summary_max_tokens: 0, // the strategy's own
  summary_timeout_ms: 60_000,
};
const KEYS = [
  ...Object.keys(COUNTS),
  ...['max_conversation_messages', 'target', 'tier_thresholds', 'strategy', 'prefer'],
  ...['summarize_on_trim', 'summarization_model', 'repair', 'reminders'],
];

/** The share of `max_messages` that a short tail keeps: with more, every few requests would fold. Measured: docs/providers.md. */
const TAIL_SHARE = 1 / 3;

/** Fills in defaults. Throws BAD_CONFIG with the key, its value and what was expected. */
export function resolveConfig(given: ConversationHistoryConfig | null): ResolvedConfig {
  const config = fullConfig(given ?? {});
  for (const key of Object.keys(config))
    if (!KEYS.includes(key)) throw bad(key, 'is not a configuration key', nearest(key));
  const {
    target,
    strategy = 'fold',
    prefer = PREFER,
    tier_thresholds = TIER_THRESHOLDS,
    summarize_on_trim,
    summarization_model,
    repair = false,
    reminders = true,
  } = config;
  if (!isTiers(tier_thresholds))
    throw bad('tier_thresholds', `is ${shown(tier_thresholds)}`, 'two whole numbers, 1 or more, the smaller first');
  if (!PREFERENCES.includes(prefer)) throw bad('prefer', `is ${shown(prefer)}`, `one of ${PREFERENCES.join(', ')}`);
  const defaults = defaultsOf(strategy, config);
  const own = { ...COUNTS, ...(config.max_tokens ? { max_messages: 0 } : {}), ...defaults };
  const counts = { ...COUNTS };
  for (const key of Object.keys(COUNTS) as (keyof typeof COUNTS)[]) {
    const { [key]: value = own[key] } = config;
    if (!isCount(value)) throw bad(key, `is ${shown(value)}`, COUNT);
    counts[key] = value;
  }
  for (const [key, value] of Object.entries({ summarize_on_trim: summarize_on_trim ?? false, repair, reminders }))
    if (typeof value !== 'boolean') throw bad(key, `is ${shown(value)}`, 'true or false');
  if (summarization_model !== undefined && typeof summarization_model !== 'string')
    throw bad('summarization_model', `is ${shown(summarization_model)}`, 'the name of a model');
  if (config.summary_max_tokens === 0) throw bad('summary_max_tokens', 'is 0', 'a whole number, 1 or more');
  if (target !== undefined && !(typeof target === 'number' && target > 0 && target <= 1))
    throw bad('target', `is ${shown(target)}`, 'a fraction above 0, up to 1');
  const limit = counts.limit || Number.POSITIVE_INFINITY;
  const max_tokens = Math.min(counts.max_tokens || limit, limit);
  const max_messages = counts.max_messages || Number.POSITIVE_INFINITY;
  const trimmed = config.max_messages ?? defaults.max_messages ?? COUNTS.max_messages;
  if (counts.reserve >= max_tokens)
    throw bad('reserve', `is ${counts.reserve}, which leaves no token for messages`, `less than ${max_tokens}`);
  const { preserve_first_n: first, preserve_last_n: last } = counts;
  const isShort = first + last >= max_messages || (hasShortTail(strategy) && config.preserve_last_n === undefined);
  return {
    ...counts,
    max_messages,
    trim_messages: trimmed || Number.POSITIVE_INFINITY,
    tail: isShort ? Math.min(last, Math.floor(max_messages * TAIL_SHARE)) : last,
    max_tokens,
    limit,
    target,
    tier_thresholds,
    prefer,
    strategy,
    summarize_on_trim,
    summarization_model,
    repair,
    reminders,
    summary_timeout_ms: counts.summary_timeout_ms || Number.POSITIVE_INFINITY,
  };
}

/** The configuration with the alias resolved. Throws BAD_CONFIG. */
function fullConfig(given: ConversationHistoryConfig): ConversationHistoryConfig {
  if (typeof given !== 'object' || Array.isArray(given))
    throw new HoldfastError('BAD_CONFIG', `the configuration is ${shown(given)}: expected an object`);
  const { max_conversation_messages: short, ...config } = given;
  if (short === undefined) return config;
  if (!isCount(short)) throw bad('max_conversation_messages', `is ${shown(short)}`, COUNT);
  return { ...config, max_messages: config.max_messages ?? short };
}

const COUNT = 'a whole number, 0 or more';

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** The key that was probably meant, or all of them. */
function nearest(key: string): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  return KEYS.find((one) => plain(one) === plain(key)) ?? KEYS.join(', ');
}

function isTiers(tiers: unknown): boolean {
  if (!Array.isArray(tiers) || tiers.length !== 2 || !tiers.every(Number.isInteger)) return false;
  return tiers[0] > 0 && tiers[0] <= tiers[1];
}

function bad(key: string, wrong: string, takes: string): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `${key} ${wrong}: expected ${takes}`, { key });
}
