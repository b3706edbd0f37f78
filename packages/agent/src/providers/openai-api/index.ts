import { HoldfastError } from 'holdfast';
import type OpenAI from 'openai';
import type { Api } from '../../loop/api.ts';
import type { ApiOptions, ResolvedOptions } from '../../loop/api-options.ts';
import { type ApiProvider, createApiProvider } from '../../loop/api-provider.ts';
import { boundedFetch } from '../../loop/bounded-body.ts';
import type { FoundModel } from '../../models/model.ts';
import { DEFAULT_MODELS } from '../default-models.ts';
import { chatApi } from './chat/chat-api.ts';
import { responsesApi } from './responses/responses-api.ts';

/** How a provider for OpenAI's APIs is set up. */
export interface OpenaiApiOptions extends ApiOptions {
  /** Default `chat`: most servers that are not OpenAI's speak only that. */
  readonly api?: 'chat' | 'responses';
}

/** A provider for OpenAI's APIs and servers that speak them; the options hold for all its executions. Throws BAD_CONFIG for another `api`. */
export function openaiApi(options: OpenaiApiOptions = {}): ApiProvider {
  const { api = 'chat', ...own } = options;
  if (!['chat', 'responses'].includes(api))
    throw new HoldfastError('BAD_CONFIG', `api is ${JSON.stringify(api)}: give "chat" or "responses"`);
  return api === 'responses' ? provide(own, responsesApi) : provide(own, chatApi);
}

type MakeApi<M> = (client: OpenAI, options: ResolvedOptions, info: FoundModel, max_output: number) => Api<M>;

function provide<M>(options: ApiOptions, make: MakeApi<M>): ApiProvider {
  return createApiProvider<M>({
    name: 'openai-api',
    maker: 'openai',
    default_model: DEFAULT_MODELS['openai-api'],
    async connect(resolved, info, max_output) {
      // Loading a client takes a quarter of a second, and not every process speaks to a model.
      const { default: Client } = await import('openai');
      const client = new Client({
        ...(resolved.api_key === undefined ? {} : { apiKey: resolved.api_key }),
        ...(resolved.base_url === undefined ? {} : { baseURL: resolved.base_url }),
        maxRetries: 0, // requests and broken streams are made again by one rule
        timeout: resolved.idle_timeout_ms,
        fetch: boundedFetch,
        logLevel: 'off',
      });
      return { api: make(client, resolved, info, max_output), base_url: client.baseURL, keys: [client.apiKey] };
    },
    options,
  });
}
