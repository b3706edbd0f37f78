import { createHash } from 'node:crypto';
import type { CacheRules } from 'holdfast/replay';
import type { ResolvedOptions } from '../../loop/api-options.ts';
import type { FoundModel } from '../../models/model.ts';

/** One key for all requests with the same beginning, which routes them to the same cache. */
export function cacheKey({ model, system = '', tools = [] }: ResolvedOptions): string {
  const names = tools.map(({ name }) => name);
  return `holdfast-${createHash('sha256')
    .update(JSON.stringify([model, system, ...names]))
    .digest('hex')
    .slice(0, 24)}`;
}

const MINUTE = 60_000;
const STEP = 128;

/** How the APIs cache prompts: models with a write price at breakpoints, older ones in steps. Pure. */
export function cacheRules({ cache: { minimum }, prices }: FoundModel): CacheRules {
  const isPaid = (prices?.cache_write ?? 0) > (prices?.input ?? 0);
  return isPaid
    ? { type: 'breakpoints', minimum, ttl: 30 * MINUTE }
    : { type: 'steps', step: STEP, minimum, ttl: 10 * MINUTE };
}

/** From GPT-5.6 on, an unmarked prefix matches only where an earlier request ended, so not after a fold. */
export function wantsBreakpoints({ id, listedAs, provider }: FoundModel): boolean {
  const [, major = 0, minor = 0] = /^gpt-(\d+)(?:\.(\d+))?/.exec(listedAs ?? id) ?? [];
  return provider === 'openai' && Number(major) + Number(minor) / 100 >= 5.06;
}
