import type { CacheRules } from 'holdfast/replay';
import type { FoundModel } from '../../models/model.ts';

const FIVE_MINUTES = 300_000;
const LOOKBACK = 20;

/** How many blocks before a breakpoint the API searches for an earlier one. Pure. */
export function lookbackOf({ cache }: FoundModel): number {
  return cache.lookback ?? LOOKBACK;
}

/** How the API caches prompts. Pure. */
export function cacheRules(model: FoundModel): CacheRules {
  return { type: 'breakpoints', minimum: model.cache.minimum, lookback: lookbackOf(model), ttl: FIVE_MINUTES };
}
