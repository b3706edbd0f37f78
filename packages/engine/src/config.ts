import { HoldfastError } from './errors.ts';
import type { Strategy, StrategyName } from './strategy.ts';

/** How a conversation is kept bounded. One spelling in YAML and in code. */
export interface ConversationHistoryConfig {
  /** A fold is due above this many messages. Default 100; 0 = no limit. */
  readonly max_messages?: number;
  /** A fold is due above this many tokens, `reserve` included. Default: `limit`, else none. */
  readonly max_tokens?: number;
  /** The model's real window, where known. */
  readonly limit?: number;
  /** Tokens outside the messages: system prompt, tool schemas, the answer. Default 0; raised by what `observe()` learns. */
  readonly reserve?: number;
  /** Share of `max` that a fold goes down to. Default: the strategy's own, by measurement. */
  readonly target?: number;
  /** Messages at the start that are always kept; leading system messages not counted by `fit()`. Default 1. */
  readonly preserve_first_n?: number;
  /** Messages at the end that are kept as far as the target of tokens allows. Default 20. */
  readonly preserve_last_n?: number;
  /** Default `fold`. In a list, the severest verdict wins. */
  readonly strategy?: StrategyName | Strategy | readonly (StrategyName | Strategy)[];
  /** Default false. */
  readonly summarize_on_trim?: boolean;
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
  readonly strategy: StrategyName | Strategy | readonly (StrategyName | Strategy)[];
  readonly summarize_on_trim: boolean;
  readonly repair: boolean;
}

/** What counts something, with its default. */
const COUNTS = {
  max_messages: 100,
  max_tokens: 0,
  limit: 0,
  reserve: 0,
  preserve_first_n: 1,
  preserve_last_n: 20,
};
const KEYS = [...Object.keys(COUNTS), 'target', 'strategy', 'summarize_on_trim', 'repair'];

/** Fills in defaults; throws BAD_CONFIG that names the key, the value and what it takes. */
export function resolveConfig(given: ConversationHistoryConfig | null): ResolvedConfig {
  const config = given ?? {};
  for (const key of Object.keys(config))
    if (!KEYS.includes(key)) throw bad(key, 'is no key of the configuration', KEYS.join(', '));
  const counts = { ...COUNTS };
  for (const key of Object.keys(COUNTS) as (keyof typeof COUNTS)[]) {
    const { [key]: value = COUNTS[key] } = config;
    if (!Number.isInteger(value) || value < 0)
      throw bad(key, `is ${JSON.stringify(value)}`, 'a whole number from 0 on');
    counts[key] = value;
  }
  const { target, strategy = 'fold', summarize_on_trim = false, repair = false } = config;
  if (typeof repair !== 'boolean') throw bad('repair', `is ${JSON.stringify(repair)}`, 'true or false');
  if (target !== undefined && !(typeof target === 'number' && target > 0 && target <= 1))
    throw bad('target', `is ${JSON.stringify(target)}`, 'a share above 0, up to 1');
  const limit = counts.limit || Number.POSITIVE_INFINITY;
  const max_tokens = Math.min(counts.max_tokens || limit, limit);
  const max_messages = counts.max_messages || Number.POSITIVE_INFINITY;
  if (counts.reserve >= max_tokens)
    throw bad('reserve', `is ${counts.reserve}, which leaves no token for messages`, `less than ${max_tokens}`);
  return { ...counts, max_messages, max_tokens, limit, target, strategy, summarize_on_trim, repair };
}

function bad(key: string, wrong: string, takes: string): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `${key} ${wrong}: give ${takes}`, { key });
}
