import type { Tokens } from '../api/types.ts';

/** What the inspector knows of a model. */
export interface ModelFacts {
  /** Tokens of its window. */
  readonly window?: number;
  /** Dollars of a request with these tokens; undefined if a price is unknown. */
  cost(tokens: Tokens): number | undefined;
}

/** The facts of a model by its name; undefined if nothing is known. */
export type ModelLookup = (model: string) => ModelFacts | undefined;

/** A call, as far as its price depends on it. */
export interface Priced {
  readonly tokens: Tokens;
  readonly cost?: number | undefined;
  readonly historyTokens?: number | undefined;
  /** True if the request had the whole history: then both costs are the same. */
  readonly isWhole: boolean;
  /** False if no call so far was cached: then nothing would have been. */
  readonly isCached: boolean;
}

/**
 * What a call would have cost with the whole history, as a cache would see it: what the call before sent is read, the rest is
 * written, the answer is the same. `before`: tokens of the whole history at the call before. Undefined if unknown. Pure.
 */
export function everythingCost(call: Priced, before: number, model: ModelFacts | undefined): number | undefined {
  if (call.isWhole) return call.cost;
  const { historyTokens } = call;
  if (historyTokens === undefined || !model) return undefined;
  const { output } = call.tokens;
  if (!call.isCached) return model.cost({ input: historyTokens, cacheRead: 0, cacheWrite: 0, output });
  const cacheRead = Math.min(before, historyTokens);
  return model.cost({ input: 0, cacheRead, cacheWrite: historyTokens - cacheRead, output });
}

/** Tokens of the prompt. Pure. */
export function promptTokens({ input, cacheRead, cacheWrite }: Tokens): number {
  return input + cacheRead + cacheWrite;
}

/** The sum, undefined if either part is. Pure. */
export function plus(sum: number | undefined, more: number | undefined): number | undefined {
  return sum === undefined || more === undefined ? undefined : sum + more;
}
