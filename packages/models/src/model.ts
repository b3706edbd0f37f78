/** Dollars per million tokens. Unknown prices are left out, never 0. */
export interface TokenPrices {
  /** Input that was neither read from a cache nor written to one. */
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  /** If writing costs nothing extra: the price of input. */
  readonly cache_write?: number;
  /** Written to be cached for an hour. */
  readonly cache_write_1h?: number;
}

/** Prices of a request, with tiers for large ones. */
export interface Prices extends TokenPrices {
  /** Prices of a whole request whose prompt exceeds `above` tokens; the highest such tier applies. */
  readonly tiers?: readonly (TokenPrices & { readonly above: number })[];
}

/** What is known about a model. Plain data: it may come from a file. */
export interface ModelInfo {
  readonly id: string;
  /** Whose API it speaks: the `maker` of a provider, such as `anthropic`, `google` or `openai`. */
  readonly provider: string;
  /** Maximum tokens of a prompt. */
  readonly window: number;
  /** Maximum tokens of an answer. */
  readonly max_output: number;
  /** `bound`: thinking is rejected after any prefix but its own; `free`: it is not; `none`: the model does not think. */
  readonly thinking: 'bound' | 'free' | 'none';
  /** Its thinking type is "adaptive". */
  readonly adaptive_thinking?: boolean;
  readonly cache: {
    /** The shortest prefix that is cached, in tokens. */
    readonly minimum: number;
    /** How many blocks before a breakpoint are searched for an earlier one; undefined: all. */
    readonly lookback?: number;
  };
  readonly prices?: Prices;
  /** Fields without an official source, or on which sources differ. */
  readonly unverified?: readonly string[];
}

/** The result of looking up a model. */
export interface FoundModel extends ModelInfo {
  /** False: these are cautious guesses. */
  readonly known: boolean;
  /** Its id in the table or in the overrides, if different. */
  readonly listedAs?: string;
}

/** The user's corrections to the model table, by id. */
export type ModelOverrides = Readonly<Record<string, ModelOverride>>;

/** A correction to one model: each field replaces the table's. */
export type ModelOverride = Readonly<Partial<Omit<ModelInfo, 'id' | 'cache'>>> & {
  readonly cache?: Readonly<Partial<ModelInfo['cache']>>;
};

/** How a provider caches prompts. Times are milliseconds, sizes tokens. */
export type CacheRules = {
  /** Shorter prefixes are neither read nor written. */
  readonly minimum: number;
  /** How long a prefix is kept after its last use; forever if absent, or without time stamps. */
  readonly ttl?: number;
} & (
  | { /** Every prefix is found, in steps of this many tokens. */ readonly type: 'steps'; readonly step: number }
  | {
      /**
       * Only prefixes that end at a breakpoint are found. Breakpoints are after the overhead, at the end, and where this
       * request differs from the previous one; each looks back over `lookback` blocks, or all of them.
       */
      readonly type: 'breakpoints';
      readonly lookback?: number;
    }
);
