import type { ServerDefinition } from '../providers/definition.ts';
import { DEFAULT_PROVIDER, providerOf } from '../providers/index.ts';
import type { ProviderConfig } from './config.ts';
import { credentialsFile, readCredentials } from './credentials.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Asked = Partial<Pick<ProviderConfig, 'type' | 'base_url'>>;

/** A provider's key, and where it comes from. */
export interface FoundKey {
  readonly key: string;
  readonly variable: string;
  /** The file it was saved in; absent if it comes from the environment. */
  readonly file?: string;
}

/** The key of a provider: from the environment, otherwise as `holdfast setup` saved it. Throws BAD_CONFIG. */
export function findKey({ type = DEFAULT_PROVIDER }: Asked, env: Env): FoundKey | undefined {
  const keys: readonly string[] = providerOf(type)?.server?.keys ?? [];
  const variable = keys.find((name) => env[name]);
  if (variable !== undefined) return { key: env[variable] ?? '', variable };
  if (keys.length === 0) return undefined;
  const saved = readCredentials(env);
  const name = keys.find((one) => saved.has(one));
  return name === undefined ? undefined : { key: saved.get(name) ?? '', variable: name, file: credentialsFile(env) };
}

/** What is wrong with the key of a provider, and what to do; undefined if it has one, or needs none. Throws BAD_CONFIG. */
export function missingKey(asked: Asked, env: Env): { readonly text: string; readonly advice: string } | undefined {
  const { type = DEFAULT_PROVIDER, base_url } = asked;
  const { keys = [], baseUrlVariable = '' }: Partial<ServerDefinition> = providerOf(type)?.server ?? {};
  const [usual] = keys;
  if (usual === undefined || findKey(asked, env)) return undefined;
  const isOther = base_url !== undefined || Boolean(env[baseUrlVariable]);
  return {
    text: `${usual} is not set`,
    advice: `run \`holdfast setup --provider ${type}\`, or export ${usual}=…${isOther ? '; any value works if your server needs no key' : ''}`,
  };
}
