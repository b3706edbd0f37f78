import type { AnthropicModel } from 'holdfast/rules';

interface ModelLimits {
  /** Tokens of prompt that it takes. */
  readonly window: number;
  /** What the models endpoint says, where that is not the truth. */
  readonly announced?: number;
  readonly max_output: number;
  /** Characters that make a token: 3.2 if absent. */
  readonly characters?: number;
}

/** What the stand-in knows of a model of the Messages API. */
export interface AnthropicStandInModel extends ModelLimits, Omit<AnthropicModel, 'binding'> {
  readonly api: 'anthropic';
  /** The shortest prefix that is cached, in tokens. */
  readonly cache_minimum: number;
  /** Whether thinking is bound to its prefix: on every account, on those since the end of August 2026, or on none. */
  readonly binding: 'always' | 'new-accounts' | 'never';
}

/** What the stand-in knows of a model of OpenAI's. */
export interface OpenaiStandInModel extends ModelLimits {
  readonly api: 'openai';
  /** Automatic prefixes in steps of 128 tokens, or breakpoints as from GPT-5.6 on. */
  readonly cache: 'steps' | 'breakpoints';
  readonly reasoning: boolean;
  /** Chat Completions says that a prompt is too long in its older words. */
  readonly older_words?: boolean;
}

/** What the stand-in knows of a model. */
export type StandInModel = AnthropicStandInModel | OpenaiStandInModel;

const CURRENT = {
  api: 'anthropic',
  window: 1_000_000,
  max_output: 128_000,
  cache_minimum: 512,
  binding: 'new-accounts',
  thinking: 'adaptive',
  prefill: false,
  forced_tool_choice: false,
  system_messages: true,
} as const satisfies AnthropicStandInModel;

const FIVE = { ...CURRENT, binding: 'never', forced_tool_choice: true } as const satisfies AnthropicStandInModel;

const FOUR_FIVE = {
  api: 'anthropic',
  window: 200_000,
  max_output: 64_000,
  cache_minimum: 4096,
  binding: 'never',
  thinking: 'enabled',
  prefill: true,
  system_messages: false,
  images: 100,
} as const satisfies AnthropicStandInModel;

const GPT = {
  api: 'openai',
  window: 922_000,
  max_output: 128_000,
  cache: 'breakpoints',
  reasoning: true,
} as const satisfies OpenaiStandInModel;

/** The models that every stand-in has; `options.models` adds to them and overrides them. */
export const STAND_IN_MODELS: Readonly<Record<string, StandInModel>> = {
  'claude-fable-5-2': { ...CURRENT, binding: 'always' },
  'claude-fable-5-1': CURRENT,
  'claude-opus-5-5': CURRENT,
  'claude-sonnet-5-5': CURRENT,
  'claude-haiku-5-5': CURRENT,
  'claude-mythos-5-1': { ...FIVE, forced_tool_choice: true },
  'claude-opus-5': FIVE,
  'claude-sonnet-5': { ...FIVE, cache_minimum: 1024 },
  'claude-opus-4-8': { ...FIVE, cache_minimum: 1024 },
  'claude-opus-4-7': { ...FIVE, cache_minimum: 2048 },
  'claude-opus-4-6': { ...FIVE, cache_minimum: 4096, thinking: 'both' },
  'claude-sonnet-4-6': { ...FIVE, cache_minimum: 1024, thinking: 'both' },
  'claude-opus-4-5': FOUR_FIVE,
  'claude-sonnet-4-5': { ...FOUR_FIVE, cache_minimum: 1024 },
  'claude-haiku-4-5': FOUR_FIVE,
  // Older than 4.5: `max_tokens` counts towards the window.
  'claude-sonnet-4-0': { ...FOUR_FIVE, cache_minimum: 1024, counts_output: true },
  'gpt-6-astra': GPT,
  'gpt-6-sol': GPT,
  'gpt-5.6-sol': { ...GPT, window: 272_000 },
  'gpt-5.2': { ...GPT, window: 272_000, cache: 'steps' },
  'gpt-4.1': { ...GPT, window: 1_047_576, max_output: 32_768, cache: 'steps', reasoning: false, older_words: true },
  'gpt-4o': { ...GPT, window: 128_000, max_output: 16_384, cache: 'steps', reasoning: false, older_words: true },
};
