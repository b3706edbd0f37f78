import type { FoundModel } from '@holdfast/models';
import { HoldfastError } from 'holdfast';
import type OpenAI from 'openai';
import { word } from '../../config/row.ts';
import { defined } from '../../defined.ts';
import { importPeer } from '../../import-peer.ts';
import type { Api } from '../../loop/api.ts';
import type { ApiOptions, ResolvedOptions } from '../../loop/api-options.ts';
import { type ApiProvider, createApiProvider } from '../../loop/api-provider.ts';
import { clientOptions } from '../../loop/fetch.ts';
import type { ProviderDefinition } from '../definition.ts';
import type { Provider } from '../provider.ts';
import { chatApi } from './chat/chat-api.ts';
import { responsesApi } from './responses/responses-api.ts';

/** Its own key of the configuration. */
export interface OpenaiSettings {
  readonly api: 'chat' | 'responses';
}

/** Options of a provider for OpenAI's APIs. `api`: default `chat`; most compatible servers support only that. */
export interface OpenaiApiOptions extends ApiOptions, Partial<OpenaiSettings> {}

const FORMATS = { chat: 'openai-chat', responses: 'openai-responses' } as const;

/** OpenAI's Chat Completions and Responses APIs, and servers that speak them. */
export const openaiApiDefinition = {
  type: 'openai-api',
  rows: {
    api: word(['chat', 'responses'], {
      about: 'Which OpenAI API to use. Most compatible servers support only `chat`.',
      default: 'chat',
    }),
  },
  dialect: { key: 'api', formats: FORMATS },
  defaultModel: 'gpt-6-sol',
  server: {
    maker: 'openai',
    keys: ['OPENAI_API_KEY'],
    baseUrlVariable: 'OPENAI_BASE_URL',
    base_url: 'https://api.openai.com/v1',
    modelRequest: (id, { key, token = key }) => ({
      path: `/models/${encodeURIComponent(id)}`,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    }),
    wrongAddress(base_url: string) {
      const versions = base_url.match(/\/v1(?=\/|$)/g)?.length ?? 0;
      if (versions === 1) return undefined;
      return `base_url is ${base_url}: ${versions === 0 ? 'most servers expect it to end with /v1' : 'it has /v1 twice'}`;
    },
  },
  create: ({ model, base_url, api, api_key }, models): Provider =>
    openaiApi(defined({ models, model, base_url, api, api_key })),
} as const satisfies ProviderDefinition<OpenaiSettings>;

/**
 * A provider for OpenAI's APIs; the options apply to all its executions. Makes no request before the first one. Throws
 * BAD_CONFIG for another `api`.
 */
export function openaiApi(options: OpenaiApiOptions = {}): ApiProvider {
  const { api = 'chat', ...own } = options;
  if (!Object.hasOwn(FORMATS, api))
    throw new HoldfastError('BAD_CONFIG', `invalid api ${JSON.stringify(api)}: expected "chat" or "responses"`);
  return api === 'responses' ? provide(own, api, responsesApi) : provide(own, api, chatApi);
}

type MakeApi<M> = (client: OpenAI, options: ResolvedOptions, info: FoundModel, max_output: number) => Api<M>;

function provide<M>(options: ApiOptions, api: 'chat' | 'responses', make: MakeApi<M>): ApiProvider {
  return createApiProvider<M>({
    ...openaiApiDefinition.server,
    name: openaiApiDefinition.type,
    dialect: FORMATS[api],
    defaultModel: openaiApiDefinition.defaultModel,
    options,
    async connect(resolved, info, max_output) {
      const { default: Client } = await importPeer('openai', () => import('openai'));
      const client = new Client(clientOptions(resolved));
      return { api: make(client, resolved, info, max_output), base_url: client.baseURL, keys: [client.apiKey] };
    },
  });
}
