/** Dollars for a million tokens. What is not known is left out, never 0. */
export interface TokenPrices {
  /** Sent, and neither read from a cache nor written to one. */
  readonly input?: number;
  readonly output?: number;
  readonly cache_read?: number;
  /** Where writing costs nothing extra: the price of input. */
  readonly cache_write?: number;
  /** Written to be kept for an hour. */
  readonly cache_write_1h?: number;
}

/** Prices of a request, and those of larger ones. */
export interface Prices extends TokenPrices {
  /** What a whole request costs whose prompt has more than `above` tokens; the highest that is passed counts. */
  readonly tiers?: readonly (TokenPrices & { readonly above: number })[];
}

/** What is known of a model. Plain data: it may come from a file. */
export interface ModelInfo {
  readonly id: string;
  /** Whose wire format it speaks. */
  readonly provider: 'anthropic' | 'openai';
  /** Most tokens of a prompt. */
  readonly window: number;
  /** Most tokens of an answer. */
  readonly max_output: number;
  /** `bound`: thinking is refused behind a prefix other than its own; `free`: not so; `none`: there is none. */
  readonly thinking: 'bound' | 'free' | 'none';
  /** It thinks by `thinking.type: "adaptive"`. */
  readonly adaptive_thinking?: boolean;
  readonly cache: {
    /** The shortest prefix that is cached, in tokens. */
    readonly minimum: number;
    /** Blocks before a breakpoint in which an earlier one is found; undefined: no such limit. */
    readonly lookback?: number;
  };
  readonly prices?: Prices;
  /** Fields that no official source was found for, or for which sources differ. */
  readonly unverified?: readonly string[];
}

/** A model as it was looked up. */
export interface FoundModel extends ModelInfo {
  /** False: nothing is known of it, and these are cautious guesses. */
  readonly known: boolean;
  /** The id that it has in the table or in the overrides, if not this one. */
  readonly listed_as?: string;
}

/** What users say of models, by id: each field stands instead of the table's. */
export type ModelOverrides = Readonly<Record<string, ModelOverride>>;

/** What a user says of one model. */
export type ModelOverride = Readonly<Partial<Omit<ModelInfo, 'id' | 'cache'>>> & {
  readonly cache?: Readonly<Partial<ModelInfo['cache']>>;
};
