import type { ProviderConfig } from '@holdfast/agent/config';

/** Where an API is and how its key is called, as the official clients look for them. */
export const APIS = {
  'anthropic-api': {
    maker: 'anthropic',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    address: 'ANTHROPIC_BASE_URL',
    base_url: 'https://api.anthropic.com',
  },
  'openai-api': {
    maker: 'openai',
    keys: ['OPENAI_API_KEY'],
    address: 'OPENAI_BASE_URL',
    base_url: 'https://api.openai.com/v1',
  },
} as const;

export type ApiType = keyof typeof APIS;

/** What is wrong with the key of a provider, and what to do; undefined if it has one, or needs none. Pure. */
export function missingKey(
  { type, base_url }: Pick<ProviderConfig, 'type' | 'base_url'>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly text: string; readonly advice: string } | undefined {
  if (type !== 'anthropic-api' && type !== 'openai-api') return undefined;
  const { keys, address } = APIS[type];
  if (keys.some((name) => env[name])) return undefined;
  const own = base_url !== undefined || Boolean(env[address]);
  const advice = `export ${keys[0]}=…${own ? '; any word will do where your server asks for none' : ''}`;
  return { text: `${keys[0]} is not set`, advice };
}
