import { HoldfastError } from 'holdfast';
import { importPeer } from '../../import-peer.ts';
import type { ApiOptions } from '../../loop/api-options.ts';
import { type ApiProvider, createApiProvider } from '../../loop/api-provider.ts';
import type { ProviderDefinition } from '../definition.ts';
import type { Provider } from '../provider.ts';
import { generateApi } from './generate-api.ts';

const KEYS = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'] as const;
const BASE_URL = 'GOOGLE_GEMINI_BASE_URL';

/** Google's Gemini API, and servers that speak it. */
export const geminiApiDefinition = {
  type: 'gemini-api',
  dialect: 'gemini',
  defaultModel: 'gemini-3.8-flash',
  server: {
    maker: 'google',
    keys: KEYS,
    baseUrlVariable: BASE_URL,
    base_url: 'https://generativelanguage.googleapis.com',
    modelRequest: (id, { key }) => ({
      path: `/v1beta/models/${encodeURIComponent(id)}`,
      headers: key === undefined ? {} : { 'x-goog-api-key': key },
    }),
    wrongAddress: (base_url: string) =>
      /\/v1(?:beta)?(?=\/|$)/.test(base_url)
        ? `base_url is ${base_url}: leave out the version, which is added automatically`
        : undefined,
  },
  create: ({ model, base_url, api_key }, models): Provider =>
    geminiApi({ models, ...(model && { model }), ...(base_url && { base_url }), ...(api_key && { api_key }) }),
} as const satisfies ProviderDefinition;

/** A provider for Google's Gemini API; the options apply to all its executions. Makes no request before the first one. */
export function geminiApi(options: ApiOptions = {}): ApiProvider {
  const { server, type: name, dialect, defaultModel } = geminiApiDefinition;
  return createApiProvider({
    ...server,
    name,
    dialect,
    defaultModel,
    options,
    async connect(resolved, info, max_output) {
      // The client for browsers reads no variables, which could name another API or account.
      const { GoogleGenAI } = await importPeer('@google/genai', () => import('@google/genai/web'));
      const { api_key: apiKey = keyIn(process.env), base_url = process.env[BASE_URL] || server.base_url } = resolved;
      if (!apiKey) throw new HoldfastError('BAD_CONFIG', `no API key: set ${KEYS[0]}, or pass api_key`);
      const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: base_url } });
      return { api: generateApi(client, resolved, info, max_output), base_url, keys: [apiKey] };
    },
  });
}

function keyIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return KEYS.map((name) => env[name]).find(Boolean);
}
