import { HoldfastError } from 'holdfast';
import { type AskedModel, createEndpointLookup, type EndpointOptions } from './ask-model.ts';
import { PROVIDERS, type ProviderType, providerOf } from './index.ts';

/** Which provider's server to ask, and how. Default address: the vendor's own. */
export interface ModelLookupOptions extends Omit<EndpointOptions, 'modelRequest' | 'base_url'> {
  readonly provider: ProviderType;
  readonly base_url?: string;
}

/**
 * A function that asks a provider's server for a model's context window and never throws. Answers are cached for an hour,
 * failures for a minute; concurrent calls for one model share a request. Throws BAD_CONFIG for a provider without a server.
 */
export function createModelLookup({ provider, ...options }: ModelLookupOptions): (id: string) => Promise<AskedModel> {
  const { server } = providerOf(provider) ?? {};
  if (server) return createEndpointLookup({ ...server, ...options });
  const types = PROVIDERS.flatMap((one) => (one.server ? one.type : []));
  throw new HoldfastError('BAD_CONFIG', `provider "${provider}" has no server: expected one of ${types.join(', ')}`);
}
