import type { ModelOverrides, ProviderConfig } from '@holdfast/agent';
import { missingKey, type ServerDefinition } from '@holdfast/agent/config';
import { type AskedModel, createModelLookup, modelInfo } from '@holdfast/agent/models';
import type { Context } from '../context.ts';
import type { Finding } from './examine.ts';

const PATIENCE_MS = 3_000;

/** Checks the key, and whether the server accepts it. Sends the key only to the server that a task would use. */
export async function examineServer(
  provider: ProviderConfig,
  server: ServerDefinition,
  model: string,
  { env }: Context,
): Promise<Finding[]> {
  const { keys, tokenVariable } = server;
  const variable = keys.find((name) => env[name]);
  const base_url = provider.base_url ?? (env[server.baseUrlVariable] || server.base_url);
  const missing = missingKey(provider, env);
  const key: Finding = missing
    ? { about: 'key', status: 'problem', ...missing }
    : { about: 'key', status: 'ok', text: `${variable} is set` };
  const value = variable === undefined ? undefined : env[variable];
  const sent = value === undefined ? {} : variable === tokenVariable ? { token: value } : { key: value };
  const ask = createModelLookup({ provider: provider.type, base_url, timeout_ms: PATIENCE_MS, ...sent });
  return [key, serverFinding(await ask(model), base_url, variable)];
}

/** `variable`: where the key that was sent comes from. */
function serverFinding(
  { failure, reason, status, window }: AskedModel,
  base_url: string,
  variable: string | undefined,
): Finding {
  const about = 'server';
  const shown = withoutLogin(base_url);
  if (window !== undefined)
    return { about, status: 'ok', text: `${shown} answers; its context window is ${window} tokens` };
  if (failure === 'no-answer') {
    const advice = 'check provider.base_url and your network or proxy';
    return { about, status: 'problem', text: `${shown} does not answer: ${reason}`, advice };
  }
  if (variable !== undefined && (status === 401 || status === 403)) {
    const advice = `check ${variable}: is it for this server, and still valid?`;
    return { about, status: 'problem', text: `${shown} answers but rejects the key (${status})`, advice };
  }
  if (status !== undefined && status >= 500) {
    const advice = 'it may be down: try again later';
    return { about, status: 'warning', text: `${shown} answers with ${status}`, advice };
  }
  return { about, status: 'ok', text: `${shown} answers` };
}

/** Checks what is known about the model. */
export function examineModel(id: string, models: ModelOverrides): Finding {
  const { known, window, prices, unverified = [] } = modelInfo(id, models);
  const size = `${id}, context window ${window} tokens`;
  if (!known) {
    const text = `${id} is unknown: assuming a context window of ${window} tokens`;
    const advice = `describe it in the configuration: models: { "${id}": { window: … } }`;
    return { about: 'model', status: 'warning', text, advice };
  }
  if (prices?.input === undefined || prices.output === undefined) {
    const advice = `set them to have costs counted: models: { "${id}": { prices: { input: …, output: … } } }`;
    return { about: 'model', status: 'warning', text: `${size}; prices unknown`, advice };
  }
  const doubts = unverified.length === 0 ? '' : ` (not verified: ${unverified.join(', ')})`;
  const text = `${size}, $${prices.input} input and $${prices.output} output per million tokens${doubts}`;
  return { about: 'model', status: 'ok', text };
}

function withoutLogin(address: string): string {
  try {
    const url = new URL(address);
    return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  } catch {
    return 'the address';
  }
}
