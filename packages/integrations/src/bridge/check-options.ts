import { budgetProblem } from '@holdfast/models';
import { configuredBudget, HoldfastError } from 'holdfast';
import type { HoldfastOptions } from './options.ts';

/** All options. A window takes more keys, which would do nothing here. */
const OPTIONS: Readonly<Record<keyof HoldfastOptions, true>> = {
  max_tokens: true,
  store: true,
  store_timeout_ms: true,
  onEvent: true,
  limit: true,
  reserve: true,
  target: true,
  preserve_first_n: true,
  preserve_last_n: true,
  strategy: true,
  prefer: true,
  reminders: true,
};
/** Node's timers wait no longer. */
const MOST_MS = 2 ** 31 - 1;

/** Throws BAD_CONFIG before the first request, in which nothing may throw. */
export function checkOptions(options: HoldfastOptions): void {
  for (const key of Object.keys(options))
    if (!(key in OPTIONS)) throw bad(`${key} is not an option: expected ${meant(key)}`);
  const { store, store_timeout_ms: ms = 1, onEvent, ...config } = options;
  configuredBudget(config, console);
  const { max_tokens } = config;
  const problem = max_tokens === undefined ? undefined : budgetProblem(max_tokens);
  if (problem) throw bad(`max_tokens is ${max_tokens}: ${problem}`);
  if (store !== undefined && !isStore(store))
    throw bad("store is not a store: expected one of @holdfast/sessions, such as sqlite('sessions.db')");
  if (!Number.isInteger(ms) || ms < 1 || ms > MOST_MS)
    throw bad(`store_timeout_ms is ${ms}: expected whole milliseconds, 1 to ${MOST_MS}`);
  if (onEvent !== undefined && typeof onEvent !== 'function') throw bad('onEvent is not a function');
}

/** True for a store, and for the promise of one. */
function isStore(store: unknown): boolean {
  const { then, append = then } = (store ?? {}) as { readonly then?: unknown; readonly append?: unknown };
  return typeof append === 'function';
}

function bad(message: string): HoldfastError {
  return new HoldfastError('BAD_CONFIG', message);
}

/** The option that was probably meant, or all of them. */
function meant(key: string): string {
  const plain = (text: string) => text.toLowerCase().replaceAll('_', '');
  const options = Object.keys(OPTIONS);
  return options.find((one) => plain(one) === plain(key)) ?? options.join(', ');
}
