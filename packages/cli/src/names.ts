// Names that help and completion list. Their packages own them, but `--help` must not wait for those packages to load. The
// compiler reports a name that is missing here, names.test.ts any other difference.
import type { ProviderType } from '@holdfast/agent/config';
import type { Preference, StrategyName } from 'holdfast';

/** Each provider, with the usual environment variable of its key. */
const PROVIDERS: Readonly<Record<ProviderType, string | undefined>> = {
  'anthropic-api': 'ANTHROPIC_API_KEY',
  'openai-api': 'OPENAI_API_KEY',
  'gemini-api': 'GEMINI_API_KEY',
  'claude-cli': undefined,
  'cursor-cli': undefined,
  'stand-in': undefined,
};
const STRATEGIES: Readonly<Record<StrategyName, true>> = {
  fold: true,
  sliding: true,
  governed: true,
  'two-tier': true,
  rolling: true,
};
const PREFERRED: Readonly<Record<Preference, true>> = { price: true, balance: true, memory: true };

export const PROVIDER_TYPES: readonly string[] = Object.keys(PROVIDERS);
export const KEY_VARIABLES: readonly string[] = Object.values(PROVIDERS).filter((name) => name !== undefined);
export const STRATEGY_NAMES: readonly string[] = Object.keys(STRATEGIES);
export const PREFERENCES: readonly string[] = Object.keys(PREFERRED);
