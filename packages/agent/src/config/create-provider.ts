import type { ModelOverrides } from '@holdfast/models';
import { HoldfastError } from 'holdfast';
import { DEFAULT_PROVIDER, PROVIDER_TYPES, providerOf } from '../providers/index.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderConfig } from './config.ts';

/**
 * The provider that a configuration names, by default the first of the list, with your corrections to the model table. Sends
 * nothing. `api_key`: default from the environment. Throws BAD_CONFIG for an unknown type, and for `stand-in`, which only the
 * command line starts.
 */
export function createProvider(
  config: Partial<ProviderConfig>,
  models: ModelOverrides = {},
  api_key?: string,
): Provider {
  const { type = DEFAULT_PROVIDER, ...settings } = config;
  const definition = providerOf(type);
  // An empty text counts as not set, as in the environment.
  const given = Object.entries({ ...settings, api_key }).filter(([, value]) => value !== undefined && value !== '');
  if (definition) return definition.create(Object.fromEntries(given) as typeof settings, models);
  throw new HoldfastError('BAD_CONFIG', `unknown provider "${type}": expected one of ${PROVIDER_TYPES.join(', ')}`);
}
