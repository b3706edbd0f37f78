import type { FoundModel, Prices } from '../model.ts';
import type { Maker, ModelRow } from './maker.ts';

const LOOKBACK = 20;
const FIVE_MINUTES = 300_000;

/** Claude's prices: a write is 1.25 of input, one for an hour 2; reads differ from model to model. */
function claude(input: number, output: number, cache_read: number): Prices {
  return { input, output, cache_read, cache_write: input * 1.25, cache_write_1h: input * 2 };
}

const BOUND: ModelRow = {
  provider: 'anthropic',
  window: 1_000_000,
  max_output: 128_000,
  thinking: 'bound',
  adaptive_thinking: true,
  cache: { minimum: 512, lookback: LOOKBACK },
};
const FREE: ModelRow = { ...BOUND, thinking: 'free' };
const FOUR_FIVE: ModelRow = { ...FREE, window: 200_000, max_output: 64_000, adaptive_thinking: false };

/** The lookback with a minimum of its own. */
const cache = (minimum: number) => ({ minimum, lookback: LOOKBACK });

const MODELS: Readonly<Record<string, ModelRow>> = {
  'claude-fable-5-2': { ...BOUND, prices: claude(8, 40, 0.2), unverified: ['prices', 'cache.minimum'] },
  'claude-fable-5-1': { ...BOUND, prices: claude(10, 50, 0.25), unverified: ['cache.minimum'] },
  'claude-opus-5-5': { ...BOUND, prices: claude(4, 20, 0.2) },
  // The price list says 0.20 for a read, another source 0.10.
  'claude-sonnet-5-5': { ...BOUND, prices: claude(2, 10, 0.2), unverified: ['prices.cache_read', 'cache.minimum'] },
  'claude-haiku-5-5': {
    ...BOUND,
    prices: { ...claude(0.1, 0.5, 0.01), tiers: [{ above: 100_000, ...claude(0.5, 2.5, 0.05) }] },
    unverified: ['prices', 'thinking', 'window', 'cache.minimum'],
  },
  'claude-mythos-5-1': { ...FREE, unverified: ['window', 'max_output', 'cache.minimum'] },
  'claude-fable-5': { ...FREE, prices: claude(10, 50, 1) },
  'claude-opus-5': { ...FREE, prices: claude(5, 25, 0.5) },
  'claude-sonnet-5': { ...FREE, cache: cache(1_024), prices: claude(2, 10, 0.2) },
  'claude-opus-4-8': { ...FREE, cache: cache(1_024), prices: claude(5, 25, 0.5) },
  'claude-opus-4-7': { ...FREE, cache: cache(2_048), prices: claude(5, 25, 0.5) },
  'claude-opus-4-6': { ...FREE, cache: cache(4_096), prices: claude(5, 25, 0.5) },
  'claude-sonnet-4-6': { ...FREE, cache: cache(1_024), prices: claude(3, 15, 0.3), unverified: ['prices'] },
  'claude-opus-4-5': { ...FOUR_FIVE, cache: cache(4_096), prices: claude(5, 25, 0.5) },
  'claude-sonnet-4-5': { ...FOUR_FIVE, cache: cache(1_024), prices: claude(3, 15, 0.3) },
  'claude-haiku-4-5': { ...FOUR_FIVE, cache: cache(4_096), prices: claude(1, 5, 0.1) },
  'claude-sonnet-4-0': {
    ...FOUR_FIVE,
    cache: cache(1_024),
    prices: claude(3, 15, 0.3),
    unverified: ['prices', 'cache.minimum'],
  },
};

/** Claude, from Anthropic and its resellers. */
export const anthropic: Maker = {
  models: MODELS,
  prefix: /^(?:[a-z]{2,6}\.)?anthropic[./]/,
  spelled: (name) => (name.startsWith('claude-') ? name.replace(/(\d)\.(\d)/, '$1-$2') : name),
  guess: (name) =>
    name.includes('claude') ? { provider: 'anthropic', adaptive_thinking: isAdaptive(name) } : undefined,
  lookback: LOOKBACK,
  cacheRules: (model) => ({
    type: 'breakpoints',
    minimum: model.cache.minimum,
    lookback: lookbackOf(model),
    ttl: FIVE_MINUTES,
  }),
};

/** How many blocks before a breakpoint the API searches for an earlier one. Pure. */
export function lookbackOf({ cache }: FoundModel): number {
  return cache.lookback ?? LOOKBACK;
}

/** From 4.6 on thinking is adaptive, and newer models accept nothing else; a name without a version is that of a new model. */
function isAdaptive(name: string): boolean {
  const [, major = 9, minor = 0] = /-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name) ?? [];
  return Number(major) + Number(minor) / 100 >= 4.06;
}
