import type { ModelInfo, Prices } from './model.ts';

/** The day on which the table was put together. */
export const MODELS_DATE = '2026-11-15';

type Row = Omit<ModelInfo, 'id'>;

/** Claude's prices: a write is 1.25 of input, one for an hour 2; reads differ from model to model. */
function claude(input: number, output: number, cache_read: number): Prices {
  return { input, output, cache_read, cache_write: input * 1.25, cache_write_1h: input * 2 };
}

/** OpenAI's prices since GPT-5.6: a write is 1.25 of input; over 272,000 tokens all input doubles, output is half more. */
function gpt(input: number, output: number, cache_read: number): Prices {
  const cache_write = input * 1.25;
  const large = { input: input * 2, output: output * 1.5, cache_read: cache_read * 2, cache_write: cache_write * 2 };
  return { input, output, cache_read, cache_write, tiers: [{ above: 272_000, ...large }] };
}

const BOUND: Row = {
  provider: 'anthropic',
  window: 1_000_000,
  max_output: 128_000,
  thinking: 'bound',
  adaptive_thinking: true,
  cache: { minimum: 512, lookback: 20 },
};
const FREE: Row = { ...BOUND, thinking: 'free' };
const FOUR_FIVE: Row = { ...FREE, window: 200_000, max_output: 64_000, adaptive_thinking: false };
const GPT: Row = {
  provider: 'openai',
  window: 272_000, // sources say 272,000 and 922,000: the smaller is right with both, and below the double price
  max_output: 128_000,
  thinking: 'free',
  cache: { minimum: 1_024 },
  unverified: ['window'],
};

/** Known from one secondary source. */
const SAID: Row = { ...GPT, unverified: ['window', 'prices'] };

/** The lookback with a minimum of its own. */
const cache = (minimum: number) => ({ minimum, lookback: 20 });

const ROWS: Readonly<Record<string, Row>> = {
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
  'gpt-6-astra': { ...GPT, prices: gpt(10, 50, 1) },
  'gpt-6-sol': { ...GPT, prices: gpt(2, 10, 0.2) },
  'gpt-5.6-sol': { ...GPT, prices: gpt(4, 20, 0.4) },
  'gpt-6.1-sol': { ...SAID, prices: gpt(2, 10, 0.1) },
  'gpt-6.1-terra': { ...SAID, prices: gpt(1, 5, 0.05) },
  'gpt-6-luna': { ...SAID, prices: gpt(0.1, 0.5, 0.01) },
  'gpt-5.6-terra': { ...SAID, prices: gpt(2, 12, 0.2) },
  'gpt-5.6-luna': { ...SAID, prices: gpt(0.2, 1.2, 0.02) },
  // Before GPT-5.6 writing to the cache is free: a token written costs what one sent does.
  'gpt-5.2': { ...SAID, prices: { input: 1.75, output: 14, cache_read: 0.175, cache_write: 1.75 } },
  'gpt-4.1': {
    ...SAID,
    window: 1_047_576,
    max_output: 32_768,
    thinking: 'none',
    prices: { input: 2, output: 8, cache_read: 0.5, cache_write: 2 },
  },
  'gpt-4o': {
    ...SAID,
    window: 128_000,
    max_output: 16_384,
    thinking: 'none',
    prices: { input: 2.5, output: 10, cache_read: 1.25, cache_write: 2.5 },
  },
};

/** What is known of current models, by id. */
export const MODELS: Readonly<Record<string, ModelInfo>> = Object.fromEntries(
  Object.entries(ROWS).map(([id, row]) => [id, { id, ...row }]),
);
