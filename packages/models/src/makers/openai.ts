import type { FoundModel, Prices } from '../model.ts';
import type { Maker, ModelRow } from './maker.ts';

const MINUTE = 60_000;
const STEP = 128;

/** OpenAI's prices since GPT-5.6: a write is 1.25 of input; over 272,000 tokens all input doubles, output is half more. */
function gpt(input: number, output: number, cache_read: number): Prices {
  const cache_write = input * 1.25;
  const large = { input: input * 2, output: output * 1.5, cache_read: cache_read * 2, cache_write: cache_write * 2 };
  return { input, output, cache_read, cache_write, tiers: [{ above: 272_000, ...large }] };
}

const GPT: ModelRow = {
  provider: 'openai',
  window: 272_000, // sources say 272,000 and 922,000: the smaller is right with both, and below the double price
  max_output: 128_000,
  thinking: 'free',
  cache: { minimum: 1_024 },
  unverified: ['window'],
};

/** Known from one secondary source. */
const SAID: ModelRow = { ...GPT, unverified: ['window', 'prices'] };

const MODELS: Readonly<Record<string, ModelRow>> = {
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

/** OpenAI's models. Servers for models of others speak its API: what no other maker knows counts as one of these. */
export const openai: Maker = {
  models: MODELS,
  prefix: /^openai\//,
  guess: () => ({ provider: 'openai' }),
  // Models with a write price cache at breakpoints, older ones in steps.
  cacheRules: ({ cache: { minimum }, prices }) =>
    (prices?.cache_write ?? 0) > (prices?.input ?? 0)
      ? { type: 'breakpoints', minimum, ttl: 30 * MINUTE }
      : { type: 'steps', step: STEP, minimum, ttl: 10 * MINUTE },
};

/** From GPT-5.6 on, an unmarked prefix matches only where an earlier request ended, so not after a fold. */
export function wantsBreakpoints({ id, listedAs, provider }: FoundModel): boolean {
  const [, major = 0, minor = 0] = /^gpt-(\d+)(?:\.(\d+))?/.exec(listedAs ?? id) ?? [];
  return provider === 'openai' && Number(major) + Number(minor) / 100 >= 5.06;
}
