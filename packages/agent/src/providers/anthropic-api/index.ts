import { defined } from '../../defined.ts';
import { importPeer } from '../../import-peer.ts';
import type { ApiOptions } from '../../loop/api-options.ts';
import { type ApiProvider, createApiProvider } from '../../loop/api-provider.ts';
import { clientOptions } from '../../loop/fetch.ts';
import type { ProviderDefinition } from '../definition.ts';
import type { Provider } from '../provider.ts';
import { messagesApi } from './messages-api.ts';

/** The Anthropic Messages API, and servers that speak it. */
export const anthropicApiDefinition = {
  type: 'anthropic-api',
  dialect: 'anthropic',
  defaultModel: 'claude-opus-5-5',
  server: {
    maker: 'anthropic',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    tokenVariable: 'ANTHROPIC_AUTH_TOKEN',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    base_url: 'https://api.anthropic.com',
    modelRequest: (id, { key, token }) => ({
      path: `/v1/models/${encodeURIComponent(id)}`,
      headers: defined({
        'anthropic-version': '2023-06-01',
        'x-api-key': key,
        authorization: token && `Bearer ${token}`,
      }),
    }),
    wrongAddress: (base_url: string) =>
      /\/v1(?=\/|$)/.test(base_url)
        ? `base_url is ${base_url}: leave out /v1, which is added automatically`
        : undefined,
  },
  create: ({ model, base_url, api_key }, models): Provider =>
    anthropicApi(defined({ models, model, base_url, api_key })),
} as const satisfies ProviderDefinition;

/** A provider for the Anthropic Messages API; the options apply to all its executions. Makes no request before the first one. */
export function anthropicApi(options: ApiOptions = {}): ApiProvider {
  return createApiProvider({
    ...anthropicApiDefinition.server,
    name: anthropicApiDefinition.type,
    dialect: anthropicApiDefinition.dialect,
    defaultModel: anthropicApiDefinition.defaultModel,
    options,
    async connect(resolved, info, max_output) {
      const { default: Client } = await importPeer('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'));
      const client = new Client(clientOptions(resolved));
      const { baseURL: base_url, apiKey, authToken } = client;
      const api = messagesApi(client, resolved, info, max_output);
      return defined({ api, base_url, keys: [apiKey, authToken], token: authToken || undefined });
    },
  });
}
