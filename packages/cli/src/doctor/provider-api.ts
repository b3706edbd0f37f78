import { type AskedModel, createModelLookup, type ProviderConfig } from '@holdfast/agent';
import { type FoundKey, findKey, missingKey, readCredentials, type ServerDefinition } from '@holdfast/agent/config';
import { type ModelOverrides, modelInfo } from '@holdfast/models';
import { isHoldfastError } from 'holdfast';
import type { Context } from '../context.ts';
import { shownHome } from '../home.ts';
import { tokens } from '../view/amounts.ts';
import { shellWord } from '../view/clean.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const PATIENCE_MS = 3_000;

/** Checks the key, and whether the server accepts it. Sends the key only to the server that a task would use. */
export async function examineServer(
  provider: ProviderConfig,
  server: ServerDefinition,
  model: string,
  { env }: Context,
): Promise<Finding[]> {
  const { tokenVariable } = server;
  const unreadable = credentialsProblem(env);
  if (unreadable) return [unreadable];
  const found = findKey(provider, env);
  const base_url = provider.base_url ?? (env[server.baseUrlVariable] || server.base_url);
  const missing = missingKey(provider, env);
  const place = found?.file ? `saved in ${shownHome(found.file, env)}` : 'set';
  const key = missing ? problem('key', missing.text, missing.advice) : ok('key', `${found?.variable} is ${place}`);
  const sent = found === undefined ? {} : found.variable === tokenVariable ? { token: found.key } : { key: found.key };
  const ask = createModelLookup({ provider: provider.type, base_url, timeout_ms: PATIENCE_MS, ...sent });
  return [key, serverFinding(await ask(model), base_url, provider.type, found)];
}

/** A file of keys that others can read, or that is damaged. */
function credentialsProblem(env: Context['env']): Finding | undefined {
  try {
    readCredentials(env);
    return undefined;
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    return { about: 'key', status: 'problem', text: error.message };
  }
}

/** `found`: the key that was sent. */
function serverFinding(
  { failure, reason, status, window }: AskedModel,
  base_url: string,
  type: string,
  found: FoundKey | undefined,
): Finding {
  const about = 'server';
  const shown = withoutLogin(base_url);
  if (window !== undefined) return ok(about, `${shown} answers; its context window is ${tokens(window)} tokens`);
  if (failure === 'no-answer') {
    const advice = `\`curl -I ${shellWord(shown)}\` shows why; check provider.base_url and your network or proxy`;
    return problem(about, `${shown} does not answer: ${reason}`, advice);
  }
  if (found !== undefined && (status === 401 || status === 403)) {
    const again = `\`holdfast setup --provider ${type}\` saves and tries another`;
    const advice = found.file
      ? `is it for this server, and still valid? ${again}`
      : `check ${found.variable} of the environment: is it for this server, and still valid?`;
    return problem(about, `${shown} answers but rejects the key (${status})`, advice);
  }
  if (status !== undefined && status >= 500)
    return warning(about, `${shown} answers with ${status}`, 'it may be down: run `holdfast doctor` again later');
  return ok(about, `${shown} answers`);
}

/** Checks what is known about the model. */
export function examineModel(id: string, models: ModelOverrides): Finding {
  const { known, window, prices, unverified = [] } = modelInfo(id, models);
  const size = `${id}, context window ${tokens(window)} tokens`;
  if (!known) {
    const text = `${id} is unknown: assuming a context window of ${tokens(window)} tokens`;
    const advice = `check the name, or add to ~/.holdfast/config.yml: \`models: { "${id}": { window: 200000 } }\``;
    return warning('model', text, advice);
  }
  if (prices?.input === undefined || prices.output === undefined) {
    const advice = `to have costs counted, add to ~/.holdfast/config.yml: \`models: { "${id}": { prices: { input: 1, output: 5 } } }\``;
    return warning('model', `${size}; prices unknown`, advice);
  }
  const doubts = unverified.length === 0 ? '' : ` (not verified: ${unverified.join(', ')})`;
  const text = `${size}, $${prices.input} input and $${prices.output} output per million tokens${doubts}`;
  return ok('model', text);
}

function withoutLogin(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.origin}${url.pathname.replace(/\/$/, '')}` : 'the address';
}
