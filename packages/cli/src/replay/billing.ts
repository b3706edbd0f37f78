import { costOfTokens, type FoundModel, type ModelOverrides, modelInfo } from '@holdfast/agent/models';
import type { CacheRules, ReplayOptions } from 'holdfast/replay';

const MINUTE = 60_000;
const LOOKBACK = 20;
const STEP = 128;

/** How the provider of a model caches prompts. Pure. */
function rulesOf({ provider, cache, prices }: FoundModel): CacheRules {
  const { minimum } = cache;
  if (provider === 'anthropic')
    return { type: 'breakpoints', minimum, lookback: cache.lookback ?? LOOKBACK, ttl: 5 * MINUTE };
  // OpenAI's models for which writing has a price of its own keep what ends at a breakpoint; older ones every step.
  const paid = (prices?.cache_write ?? 0) > (prices?.input ?? 0);
  if (paid) return { type: 'breakpoints', minimum, ttl: 30 * MINUTE };
  return { type: 'steps', step: STEP, minimum, ttl: 10 * MINUTE };
}

/** How prompts of a model are billed, in dollars; undefined where its prices are not known. Pure. */
export function billingOf(model: string, overrides: ModelOverrides): ReplayOptions['billing'] {
  const info = modelInfo(model, overrides);
  const { prices } = info;
  if (prices?.input === undefined || prices.cache_read === undefined) return undefined;
  const known = { cache_write: prices.input, ...prices };
  return {
    rules: rulesOf(info),
    price: ({ read, written, plain }) => {
      const used = { inputTokens: plain, outputTokens: 0, cacheReadTokens: read, cacheWriteTokens: written };
      return costOfTokens({ ...used, cacheWrite1hTokens: 0 }, known) ?? 0;
    },
  };
}
