import type { ModelOverrides } from '../models/model.ts';
import { modelInfo } from '../models/model-info.ts';
import { costOfTokens } from '../models/money.ts';
import type { Saved } from './usage.ts';

const NONE = { inputTokens: 0, outputTokens: 0, cacheWrite1hTokens: 0 };

/**
 * What pruned tokens would have cost an agent in `requests` more requests: those that its request before had in front, too,
 * are read from the cache, the others are written once and read from then on. Pure.
 */
export function savedBy(
  model: string,
  requests: number,
  gone: { readonly before: number; readonly now: number },
  models?: ModelOverrides,
): Saved {
  if (requests === 0 || gone.now === 0) return { tokens: 0, cost: 0 };
  const { prices } = modelInfo(model, models);
  const known = Math.min(gone.before, gone.now);
  const priced = (cacheReadTokens: number, cacheWriteTokens: number) =>
    prices && costOfTokens({ ...NONE, cacheReadTokens, cacheWriteTokens }, prices);
  const first = priced(known, gone.now - known);
  const later = priced((requests - 1) * gone.now, 0);
  const cost = first === undefined || later === undefined ? undefined : first + later;
  return { tokens: requests * gone.now, cost };
}
