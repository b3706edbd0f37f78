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

/** Tokens of the prompt. Pure. */
export function promptTokens({ input, cacheRead, cacheWrite }: Tokens): number {
  return input + cacheRead + cacheWrite;
}

/** The sum, undefined if either part is. Pure. */
export function plus(sum: number | undefined, more: number | undefined): number | undefined {
  return sum === undefined || more === undefined ? undefined : sum + more;
}
