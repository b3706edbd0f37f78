import type { SessionTokens } from './token-usage.ts';

/** An answered request, as far as its cost with the whole history depends on it. */
export interface AnsweredRequest {
  readonly tokens: Required<SessionTokens>;
  /** What it cost; undefined if unknown. */
  readonly cost?: number | undefined;
  /** Tokens of its prompt with the whole history; undefined if unknown. */
  readonly historyTokens?: number | undefined;
  /** True if it had the whole history: then both costs are the same. */
  readonly isWhole: boolean;
}

/** The cost of the next request with the whole history; undefined if unknown. `price`: the cost of these tokens. */
export type EverythingCost = (
  request: AnsweredRequest,
  price: (tokens: Required<SessionTokens>) => number | undefined,
) => number | undefined;

/**
 * Estimates what the requests of one conversation to one model, added in their order, would have cost with the whole history in
 * each. What the request before sent is read from the cache, the rest is written, the answer is the same. Without any request
 * that used a cache there is none for the whole history either: both costs assume the same. `said`: the tokens that were sent
 * earlier; if not given, all of the history for a first request that is not whole. They may be in a cache, until the second
 * request shows whether there is one.
 */
export function createEverythingCost(said?: number): EverythingCost {
  let before = said;
  let isCached: boolean | undefined;
  return ({ tokens, cost, historyTokens, isWhole }, price) => {
    const { input, output, cacheRead: read, cacheWrite: written } = tokens;
    const sent = before ?? (isWhole ? 0 : (historyTokens ?? 0));
    const mayRead = isCached ?? sent > 0;
    isCached = isCached === true || read + written > 0;
    // A count is better than an estimate.
    before = (isWhole && input + read + written) || (historyTokens ?? sent);
    if (isWhole) return cost;
    if (historyTokens === undefined) return undefined;
    if (!mayRead && !isCached) return price({ input: historyTokens, cacheRead: 0, cacheWrite: 0, output });
    const cacheRead = Math.min(sent, historyTokens);
    return price({ input: 0, cacheRead, cacheWrite: historyTokens - cacheRead, output });
  };
}

/** The same for a conversation with any number of models, by their names: each has a cache of its own, empty at first. */
export function createEverythingCosts(): (model: string) => EverythingCost {
  const known = new Map<string, EverythingCost>();
  return (model) => {
    const found = known.get(model) ?? createEverythingCost(known.size === 0 ? undefined : 0);
    known.set(model, found);
    return found;
  };
}
