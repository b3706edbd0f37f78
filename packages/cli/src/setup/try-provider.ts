import { createProvider, type HoldfastConfig, type ProviderConfig } from '@holdfast/agent';
import { DEFAULT_PROVIDER, providerOf } from '@holdfast/agent/config';
import { maskSecrets } from 'holdfast';
import type { Context } from '../context.ts';
import { Interrupted } from '../failure.ts';
import { duration, money } from '../view/amounts.ts';
import { advicePhrase } from '../view/phrases.ts';
import { LEFT } from './ask.ts';
import type { ChosenKey } from './choose-key.ts';

/** How the request ended: what to print, and what to do about a failure. */
interface Tried {
  readonly ok: boolean;
  readonly text: string;
  readonly advice?: string;
}

const PATIENCE_MS = 60_000;
const PROMPT = 'Reply with the single word: ok';

/** Tries a provider with one short request, and says how it went. True if it answered. Throws Interrupted. */
export async function isAnswering(
  config: Partial<ProviderConfig>,
  models: HoldfastConfig['models'],
  key: ChosenKey | undefined,
  context: Context,
  left?: AbortSignal,
): Promise<boolean> {
  const { type = DEFAULT_PROVIDER, model = providerOf(type)?.defaultModel } = config;
  context.tell(`trying ${[type, model].filter(Boolean).join(', ')} with one short request`);
  // The client itself reads a key of the environment.
  const own = key?.from === 'environment' ? undefined : key?.key;
  const tried = await tryProvider(config, models, own, context.cwd, left);
  context.tell(tried.text);
  if (tried.advice !== undefined) context.tell(tried.advice);
  return tried.ok;
}

/** Sends one short request. Failures of the provider are in the result. `left`: aborted if the user leaves. Throws Interrupted then. */
async function tryProvider(
  config: Partial<ProviderConfig>,
  models: HoldfastConfig['models'],
  key: string | undefined,
  cwd: string,
  left: AbortSignal = new AbortController().signal,
): Promise<Tried> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const signal = AbortSignal.any([stop.signal, left]);
  const started = performance.now();
  try {
    const provider = createProvider(config, models, key);
    const result = await provider.execute(PROMPT, { time_limit_ms: PATIENCE_MS, signal, cwd, ...QUICK });
    if (signal.aborted) throw new Interrupted(LEFT);
    const { success, error = 'the request failed', errorCategory = 'unknown', cost } = result;
    const took = duration(performance.now() - started);
    if (success) return { ok: true, text: `it answered in ${took}${cost ? ` (${money(cost.spent)})` : ''}` };
    const safe = key === undefined ? error : error.replaceAll(key, '[key]');
    const advice = advicePhrase(errorCategory) ?? 'try again later, or choose another provider';
    return { ok: false, text: maskSecrets(safe), advice };
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** A person waits: one request, and one retry at most. Providers that run a program ignore the second. */
const QUICK = { max_requests: 1, max_retries: 1 } as const;
