import { createStandIn, type StandIn, type StandInOptions } from '@holdfast/stand-in';
import { onTestFinished } from 'vitest';
import { type ApiOptions, type ApiProvider, anthropicApi, geminiApi, openaiApi } from '../src/index.ts';

/** One of the APIs, and models of three generations for it. */
export interface ApiUnderTest {
  readonly name: 'anthropic' | 'gemini' | 'openai-chat' | 'openai-responses';
  readonly models: readonly [string, string, string];
  provider(standIn: StandIn, options?: ApiOptions): ApiProvider;
}

export const KEY = 'sk-planted-key-4711-abcdefgh';
/** No test waits as long as a real server asks for. */
const FAST: ApiOptions = { api_key: KEY, max_wait_ms: 3 };

export const APIS: readonly ApiUnderTest[] = [
  {
    name: 'anthropic',
    models: ['claude-fable-5-2', 'claude-sonnet-5', 'claude-haiku-4-5'],
    provider: ({ url }, options) => anthropicApi({ ...FAST, base_url: url, ...options }),
  },
  {
    name: 'openai-chat',
    models: ['gpt-6-sol', 'gpt-5.2', 'gpt-4o'],
    provider: ({ url }, options) => openaiApi({ ...FAST, base_url: `${url}/v1`, ...options }),
  },
  {
    name: 'openai-responses',
    models: ['gpt-6-sol', 'gpt-5.2', 'gpt-4.1'],
    provider: ({ url }, options) => openaiApi({ ...FAST, api: 'responses', base_url: `${url}/v1`, ...options }),
  },
  {
    name: 'gemini',
    models: ['gemini-4-argon', 'gemini-3.1-pro-preview', 'gemini-2.5-flash'],
    provider: ({ url }, options) => geminiApi({ ...FAST, base_url: url, ...options }),
  },
];

/** A stand-in that is closed with the test. */
export async function standing(options: StandInOptions): Promise<StandIn> {
  const standIn = await createStandIn({ keep_bodies: 3, ...options });
  onTestFinished(() => standIn.close());
  return standIn;
}

/** What was refused, or failed without a fault. */
export function refused({ requests }: StandIn): unknown[] {
  return requests
    .filter(({ verdict, fault }) => verdict === 'refused' || (verdict === 'failed' && !fault))
    .map(({ error, path }) => ({ path, error }));
}
