import type { Prices } from '../model.ts';
import type { Maker, ModelRow } from './maker.ts';

/** Not documented for implicit caches. */
const TEN_MINUTES = 600_000;

/** Google's prices: writing to the implicit cache is free, so a token written costs what one sent does. */
function gemini(input: number, output: number, cache_read: number): Prices {
  return { input, output, cache_read, cache_write: input };
}

/** The pro models cost twice as much over 200,000 tokens, their output half more. */
function pro(input: number, output: number): Prices {
  const large = { above: 200_000, ...gemini(input * 2, output * 1.5, input / 5) };
  return { ...gemini(input, output, input / 10), tiers: [large] };
}

const GEMINI: ModelRow = {
  provider: 'google',
  window: 1_048_576,
  max_output: 65_536,
  thinking: 'free',
  cache: { minimum: 1_024 },
  unverified: ['prices'],
};

const PRO: ModelRow = { ...GEMINI, cache: { minimum: 4_096 } };

const MODELS: Readonly<Record<string, ModelRow>> = {
  // Sources say 32,768 and 65,536 tokens of output; the price doubles in December 2026.
  'gemini-4-argon': { ...GEMINI, max_output: 32_768, prices: gemini(2, 10, 0.1), unverified: ['max_output', 'prices'] },
  'gemini-3.8-flash': { ...GEMINI, prices: gemini(0.75, 3.75, 0.075) },
  'gemini-3.5-flash-lite': { ...GEMINI, prices: gemini(0.3, 2.5, 0.03) },
  'gemini-3.1-pro-preview': { ...PRO, prices: pro(2, 12) },
  'gemini-3.1-flash-lite': { ...GEMINI, prices: gemini(0.25, 1.5, 0.025) },
  'gemini-3-flash-preview': { ...GEMINI, prices: gemini(0.5, 3, 0.05) },
  'gemini-2.5-pro': { ...PRO, prices: pro(1.25, 10) },
  'gemini-2.5-flash': { ...GEMINI, prices: gemini(0.3, 2.5, 0.03) },
  'gemini-2.5-flash-lite': { ...GEMINI, prices: gemini(0.1, 0.4, 0.01) },
};

/** Google's Gemini models. */
export const google: Maker = {
  models: MODELS,
  prefix: /^(?:google|models)\//,
  guess: (name) => (name.startsWith('gemini') ? { provider: 'google' } : undefined),
  cacheRules: ({ cache: { minimum } }) => ({ type: 'steps', step: 128, minimum, ttl: TEN_MINUTES }),
};
