/** Tokens as the provider billed them; the four kinds add up to the total. */
export interface TokenUsage {
  /** Input that was neither read from a cache nor written to one. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Tokens of one or more requests, as a session's log keeps them. */
export interface SessionTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}
