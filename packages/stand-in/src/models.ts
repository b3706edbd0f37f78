import type { AnthropicModel } from 'holdfast/rules';
import { type Arrived, NO_MODEL, type Serve } from './exchange.ts';
import type { Json } from './json.ts';
import { Refusal } from './refusal.ts';

interface ModelLimits {
  /** The largest prompt, in tokens. */
  readonly window: number;
  /** What the models endpoint reports, if that differs. */
  readonly announced?: number;
  readonly max_output: number;
  /** Characters per token: 3.2 if absent. */
  readonly characters?: number;
}

/** A model of the Messages API. */
export interface AnthropicStandInModel extends ModelLimits, Omit<AnthropicModel, 'binding'> {
  readonly api: 'anthropic';
  /** The shortest prefix that is cached, in tokens. */
  readonly cache_minimum: number;
  /** Which accounts bind thinking to its prefix: all, those created since the end of August 2026, or none. */
  readonly binding: 'always' | 'new-accounts' | 'never';
}

/** A model of OpenAI's APIs. */
export interface OpenaiStandInModel extends ModelLimits {
  readonly api: 'openai';
  /** Automatic prefixes in steps of 128 tokens, or breakpoints (GPT-5.6 and later). */
  readonly cache: 'steps' | 'breakpoints';
  readonly reasoning: boolean;
  /** True for another maker's server with the same API: it takes fields of its own, and shows its reasoning. */
  readonly vendor?: boolean;
  /** Chat Completions reports a prompt that is too long in its older wording. */
  readonly older_words?: boolean;
}

/** A model of Gemini's API. */
export interface GeminiStandInModel extends ModelLimits {
  readonly api: 'gemini';
  /** Signs its calls and needs the signatures back (Gemini 3 and later); its calls have ids. */
  readonly signed: boolean;
  /** The shortest prefix that is cached, in tokens. */
  readonly cache_minimum: number;
}

/** A model, as the stand-in knows it. */
export type StandInModel = AnthropicStandInModel | GeminiStandInModel | OpenaiStandInModel;

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

const GEMINI = {
  api: 'gemini',
  window: 1_048_576,
  max_output: 65_536,
  signed: true,
  cache_minimum: 1024,
} as const satisfies GeminiStandInModel;

/** The models of every stand-in; `options.models` adds to and overrides them. */
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
  'gemini-4-argon': { ...GEMINI, max_output: 32_768 },
  'gemini-3.1-pro-preview': { ...GEMINI, cache_minimum: 4096 },
  'gemini-3.8-flash': GEMINI,
  'gemini-3-flash-preview': GEMINI,
  'gemini-2.5-pro': { ...GEMINI, signed: false, cache_minimum: 4096 },
  'gemini-2.5-flash': { ...GEMINI, signed: false },
  'gpt-6-astra': GPT,
  'gpt-6-sol': GPT,
  'gpt-5.6-sol': { ...GPT, window: 272_000 },
  'gpt-5.2': { ...GPT, window: 272_000, cache: 'steps' },
  'qwen3-coder-plus': { ...GPT, window: 1_000_000, max_output: 65_536, cache: 'steps', vendor: true },
  'gpt-4.1': { ...GPT, window: 1_047_576, max_output: 32_768, cache: 'steps', reasoning: false, older_words: true },
  'gpt-4o': { ...GPT, window: 128_000, max_output: 16_384, cache: 'steps', reasoning: false, older_words: true },
};

const CREATED = Date.UTC(2026, 0, 1);

/** `GET /v1/models`: the models of the API that the client uses. */
export const listModels: Serve = (arrived, state) => {
  const api = apiOf(arrived);
  const data = [...state.models].filter(([, model]) => model.api === api).map(([id, model]) => shown(id, model));
  if (api === 'openai') return { body: { object: 'list', data } };
  return { body: { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null } };
};

/** `GET /v1/models/{id}`. Throws a Refusal for an unknown id. */
export const readModel: Serve = (arrived, state) => {
  const id = decodeURIComponent(arrived.path.split('/').at(-1) ?? '');
  const model = state.models.get(id);
  const api = apiOf(arrived);
  if (model?.api === api) return { body: shown(id, model) };
  if (api === 'anthropic') throw new Refusal(404, `model: ${id}`);
  throw new Refusal(404, `The model '${id}' does not exist`, { param: 'model', code: 'model_not_found' });
};

function apiOf({ header }: Arrived): 'anthropic' | 'openai' {
  return header('anthropic-version') === undefined ? 'openai' : 'anthropic';
}

function shown(id: string, model: StandInModel): Json & { readonly id: string } {
  if (model.api !== 'anthropic')
    return { id, object: 'model', created: CREATED / 1000, owned_by: 'stand-in', ...NO_MODEL };
  return {
    type: 'model',
    id,
    display_name: `${id} (stand-in)`,
    created_at: new Date(CREATED).toISOString(),
    deprecated_at: null,
    retires_at: null,
    lifecycle: 'active',
    line: null,
    capabilities: null,
    max_input_tokens: model.announced ?? model.window,
    max_tokens: model.max_output,
    ...NO_MODEL,
  };
}
