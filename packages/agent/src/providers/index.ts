import type { CacheRules } from 'holdfast/replay';
import type { ProviderConfig } from '../config/config.ts';
import type { FoundModel } from '../models/model.ts';
import { anthropicApiDefinition } from './anthropic-api/index.ts';
import { claudeCliDefinition } from './claude-cli/index.ts';
import { cursorCliDefinition } from './cursor-cli/index.ts';
import type { ProviderDefinition, ServerDefinition } from './definition.ts';
import { openaiApiDefinition } from './openai-api/index.ts';
import { standInDefinition } from './stand-in/index.ts';

/** All providers, the default first. To add one, write its folder and name it here. */
const LIST = [
  anthropicApiDefinition,
  openaiApiDefinition,
  claudeCliDefinition,
  cursorCliDefinition,
  standInDefinition,
] as const satisfies readonly ProviderDefinition[];

export type ProviderType = (typeof LIST)[number]['type'];

/** Everything known about each provider, the default first. */
export const PROVIDERS: readonly (ProviderDefinition & { readonly type: ProviderType })[] = LIST;

/** The type if the configuration names none. */
export const DEFAULT_PROVIDER = LIST[0].type;

export const PROVIDER_TYPES: readonly ProviderType[] = LIST.map(({ type }) => type);

/** Whose APIs they speak. */
export const MAKERS: readonly string[] = [...new Set(PROVIDERS.flatMap(({ server }) => server?.maker ?? []))];

/** What is known about a provider; undefined if there is none of this type. Pure. */
export function providerOf(type: string): (typeof PROVIDERS)[number] | undefined {
  return PROVIDERS.find((one) => one.type === type);
}

/** True if it runs a program that keeps its own conversation and has its own tools. Pure. */
export function keepsConversation({ type }: Pick<ProviderConfig, 'type'>): boolean {
  return providerOf(type)?.dialect === undefined;
}

/** The format of a provider's messages; undefined if it keeps its own conversation. Pure. */
export function dialectOf({ type, api }: Pick<ProviderConfig, 'type' | 'api'>): string | undefined {
  const dialect = providerOf(type)?.dialect;
  return typeof dialect === 'object' ? dialect[api] : dialect;
}

/** How the server of a model caches prompts; as OpenAI's if no provider has this maker. Pure. */
export function cacheRules(model: FoundModel): CacheRules {
  const { server } = PROVIDERS.find((one) => one.server?.maker === model.provider) ?? openaiApiDefinition;
  return (server ?? openaiApiDefinition.server).cacheRules(model);
}

/** The usual key variable of each server. */
export const KEY_VARIABLES: readonly string[] = PROVIDERS.flatMap(({ server }) => server?.keys[0] ?? []);

/** What is wrong with the key of a provider, and what to do; undefined if it has one, or needs none. Pure. */
export function missingKey(
  { type = DEFAULT_PROVIDER, base_url }: Partial<Pick<ProviderConfig, 'type' | 'base_url'>>,
  env: Readonly<Record<string, string | undefined>>,
): { readonly text: string; readonly advice: string } | undefined {
  const { keys = [], baseUrlVariable = '' }: Partial<ServerDefinition> = providerOf(type)?.server ?? {};
  const [usual] = keys;
  if (usual === undefined || keys.some((name) => env[name])) return undefined;
  const isOther = base_url !== undefined || Boolean(env[baseUrlVariable]);
  return {
    text: `${usual} is not set`,
    advice: `export ${usual}=…${isOther ? '; any value works if your server needs no key' : ''}`,
  };
}
