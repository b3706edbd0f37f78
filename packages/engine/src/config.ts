import { HoldfastError, shown } from './errors.ts';
import { defaultsOf } from './strategies/index.ts';
import type { Strategy, StrategyName } from './strategy.ts';

/** How a conversation is kept bounded. One spelling in YAML and in code. */
export interface ConversationHistoryConfig {
  /** A fold is due above this many messages. Default 100, or the strategy's own; 0 = no limit. */
  readonly max_messages?: number;
  /** Short for `max_messages`, which wins where both are given. */
  readonly max_conversation_messages?: number;
  /** A fold is due above this many tokens, `reserve` included. Default: `limit`, else none. */
  readonly max_tokens?: number;
  /** The model's real window, where known. */
  readonly limit?: number;
  /** Tokens outside the messages: system prompt, tool schemas, the answer. Default 0; raised by what `observe()` learns. */
  readonly reserve?: number;
  /** Share of `max` that a fold goes down to. Default: the strategy's own, by measurement. */
  readonly target?: number;
  /** Messages at the start that are always kept; leading system messages not counted by `fit()`. Default 1, or the strategy's own. */
  readonly preserve_first_n?: number;
  /**
   * Messages at the end that are kept as far as the target of tokens allows. Default 20, or the strategy's own; `fold` takes
   * a third of `max_messages` where that is less. So does `fit()` where they would fill `max_messages` with the first.
   */
  readonly preserve_last_n?: number;
  /** Default `fold`. In a list, the severest verdict wins. */
  readonly strategy?: StrategyName | Strategy | readonly (StrategyName | Strategy)[];
  /** `governed` cuts older tool results to this many characters. Default 2000; 0 = not at all. */
  readonly tool_output_trim_chars?: number;
  /** `max_messages` of `governed`, where that is not given. Default 40; 0 = no limit. */
  readonly max_history_messages?: number;
  /** Tokens: `two-tier` folds the view above the first, and asks for a summary when the history is above the second. Default 80000, 120000. */
  readonly tier_thresholds?: readonly [number, number];
  /**
   * A model sums up what folds take out, with `parts.summarizer`. Default: the digest alone speaks for it, but in `two-tier`
   * above the second threshold; false asks no model there either.
   */
  readonly summarize_on_trim?: boolean;
  /** Passed on to the summarizer. */
  readonly summarization_model?: string;
  /** Longest summary. Default 1024; 2000 in `two-tier`. */
  readonly summary_max_tokens?: number;
  /** How long a fold waits for a summary. Default one minute; 0 = as long as it takes. */
  readonly summary_timeout_ms?: number;
  /** Broken input is made valid, with nothing taken out of it, instead of refused. Default false. */
  readonly repair?: boolean;
}

/** The configuration with every default filled in; Infinity where there is no limit. */
export interface ResolvedConfig {
  readonly max_messages: number;
  readonly max_tokens: number;
  readonly limit: number;
  readonly reserve: number;
  readonly target: number | undefined;
  readonly preserve_first_n: number;
  readonly preserve_last_n: number;
  /** `preserve_last_n` as `fit()` can keep it and still go down to its target. */
  readonly tail: number;
  readonly tool_output_trim_chars: number;
  readonly max_history_messages: number;
  readonly tier_thresholds: readonly [number, number];
  readonly strategy: StrategyName | Strategy | readonly (StrategyName | Strategy)[];
  /** Undefined: where the strategy asks for a summary. */
  readonly summarize_on_trim: boolean | undefined;
  readonly summarization_model: string | undefined;
  /** 0: the strategy's own. */
  readonly summary_max_tokens: number;
  readonly summary_timeout_ms: number;
  readonly repair: boolean;
}

/** What counts something, with its default. What is the default of another stands before it, to be named if it is wrong. */
const COUNTS = {
  max_history_messages: 40,
  max_messages: 100,
  max_tokens: 0,
  limit: 0,
  reserve: 0,
  preserve_first_n: 1,
  preserve_last_n: 20,
  tool_output_trim_chars: 2_000,
  summary_max_tokens: 0,
  summary_timeout_ms: 60_000,
};
const TIER_THRESHOLDS = [80_000, 120_000] as const;
const KEYS = [
  ...Object.keys(COUNTS),
  'max_conversation_messages',
  'target',
  'tier_thresholds',
  'strategy',
  'summarize_on_trim',
  'summarization_model',
  'repair',
];

/** The share of `max_messages` that stays of the end: with more, a fold is due every few requests. By measurement: docs/providers.md. */
const TAIL_SHARE = 1 / 3;

/** Fills in defaults; throws BAD_CONFIG that names the key, the value and what it takes. */
export function resolveConfig(given: ConversationHistoryConfig | null): ResolvedConfig {
  const config = fullConfig(given ?? {});
  for (const key of Object.keys(config))
    if (!KEYS.includes(key)) throw bad(key, 'is no key of the configuration', nearest(key));
  const {
    target,
    strategy = 'fold',
    tier_thresholds = TIER_THRESHOLDS,
    summarize_on_trim,
    summarization_model,
    repair = false,
  } = config;
  if (!isTiers(tier_thresholds))
    throw bad('tier_thresholds', `is ${shown(tier_thresholds)}`, 'two whole numbers from 1 on, the smaller first');
  const own = { ...COUNTS, ...defaultsOf(strategy, config) };
  const counts = { ...COUNTS };
  for (const key of Object.keys(COUNTS) as (keyof typeof COUNTS)[]) {
    const { [key]: value = own[key] } = config;
    if (!isCount(value)) throw bad(key, `is ${shown(value)}`, COUNT);
    counts[key] = value;
  }
  for (const [key, value] of Object.entries({ summarize_on_trim: summarize_on_trim ?? false, repair }))
    if (typeof value !== 'boolean') throw bad(key, `is ${shown(value)}`, 'true or false');
  if (summarization_model !== undefined && typeof summarization_model !== 'string')
    throw bad('summarization_model', `is ${shown(summarization_model)}`, 'the name of a model');
  if (config.summary_max_tokens === 0) throw bad('summary_max_tokens', 'is 0', 'a whole number from 1 on');
  if (target !== undefined && !(typeof target === 'number' && target > 0 && target <= 1))
    throw bad('target', `is ${shown(target)}`, 'a share above 0, up to 1');
  const limit = counts.limit || Number.POSITIVE_INFINITY;
  const max_tokens = Math.min(counts.max_tokens || limit, limit);
  const max_messages = counts.max_messages || Number.POSITIVE_INFINITY;
  if (counts.reserve >= max_tokens)
    throw bad('reserve', `is ${counts.reserve}, which leaves no token for messages`, `less than ${max_tokens}`);
  const { preserve_first_n: first, preserve_last_n: last } = counts;
  const isShort = first + last >= max_messages || (strategy === 'fold' && config.preserve_last_n === undefined);
  return {
    ...counts,
    max_messages,
    tail: isShort ? Math.min(last, Math.floor(max_messages * TAIL_SHARE)) : last,
    max_tokens,
    limit,
    target,
    tier_thresholds,
    strategy,
    summarize_on_trim,
    summarization_model,
    repair,
    summary_timeout_ms: counts.summary_timeout_ms || Number.POSITIVE_INFINITY,
  };
}

/** The configuration with the short key written out. Throws BAD_CONFIG. */
function fullConfig(given: ConversationHistoryConfig): ConversationHistoryConfig {
  if (typeof given !== 'object' || Array.isArray(given))
    throw new HoldfastError('BAD_CONFIG', `the configuration is ${shown(given)}: give an object`);
  const { max_conversation_messages: short, ...config } = given;
  if (short === undefined) return config;
  if (!isCount(short)) throw bad('max_conversation_messages', `is ${shown(short)}`, COUNT);
  return { ...config, max_messages: config.max_messages ?? short };
}

const COUNT = 'a whole number from 0 on';

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
  return new HoldfastError('BAD_CONFIG', `${key} ${wrong}: give ${takes}`, { key });
}
