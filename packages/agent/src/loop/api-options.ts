import type { ModelOverrides } from '@holdfast/models';
import type { ExecutionOptions } from '../providers/provider.ts';
import { LONGEST_MS } from './deadline.ts';

/** How to run a prompt with a provider that talks to an API itself. */
export interface ApiOptions extends ExecutionOptions {
  /** Any server that speaks the API. Default: from the environment, or the vendor's own. */
  readonly base_url?: string;
  /** Default: from the environment. It never appears in a log, an error or a state. */
  readonly api_key?: string;
  /** Writes the summaries of `summarize_on_trim`. Default: the model itself. */
  readonly summarization_model?: string;
  /** Corrections to the model table: windows, prices, thinking. */
  readonly models?: ModelOverrides;
  /** Ask the models endpoint for the context window. Default true. */
  readonly ask_window?: boolean;
  /** Ask the counting endpoint when the estimate is within 10% of the limit. Default true. */
  readonly count_before_request?: boolean;
  /** Retries of one request after 429, 5xx and broken connections. Default 8. */
  readonly max_retries?: number;
  /** Longest wait before a retry, even if the server asks for more. Default 30 s. */
  readonly max_wait_ms?: number;
  /** A stream that is silent for this long counts as broken. Default 5 minutes. */
  readonly idle_timeout_ms?: number;
}

/** The options with the loop's defaults filled in. */
export type ResolvedOptions = ApiOptions &
  Required<Pick<ApiOptions, 'model' | 'max_retries' | 'max_wait_ms' | 'idle_timeout_ms' | 'completion_signals'>>;

/** Merges the execution's options over the provider's; undefined options are ignored. Pure. */
export function resolveOptions(own: ApiOptions, given: ApiOptions, model: string): ResolvedOptions {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const both: ApiOptions = { ...own, ...Object.fromEntries(set) };
  return {
    ...both,
    // The APIs reject blank text.
    ...(both.system === undefined ? {} : { system: /\S/.test(both.system) ? both.system.toWellFormed() : '' }),
    model: both.model ?? model,
    max_retries: both.max_retries ?? 8,
    max_wait_ms: Math.min(both.max_wait_ms ?? 30_000, LONGEST_MS),
    idle_timeout_ms: Math.min(both.idle_timeout_ms ?? 300_000, LONGEST_MS),
    completion_signals: both.completion_signals ?? ['<TASK_COMPLETE>', '<DONE>'],
  };
}

/** Options that are counts, with their minimum. */
const COUNTS = {
  max_output: 1,
  max_requests: 0,
  max_retries: 0,
  max_wait_ms: 0,
  idle_timeout_ms: 1,
  time_limit_ms: 0,
} as const satisfies Partial<Record<keyof ApiOptions, number>>;

/** What is wrong with an option; undefined if nothing is. Pure. */
export function wrongOption(options: ApiOptions): string | undefined {
  for (const key of Object.keys(COUNTS) as (keyof typeof COUNTS)[]) {
    const { [key]: value } = options;
    const least = COUNTS[key];
    if (value === undefined || (value >= least && (key !== 'max_output' || Number.isInteger(value)))) continue;
    return `${key} is ${String(value)}: expected a ${key === 'max_output' ? 'whole ' : ''}number, ${least} or more`;
  }
  const { base_url, api_key = '' } = options;
  if (base_url !== undefined && !/^https?:\/\/[^/]/.test(base_url))
    return `base_url is ${JSON.stringify(base_url)}: expected a URL that starts with http:// or https://`;
  if (/[^\x21-\x7e]/.test(api_key)) return 'api_key contains white space or non-ASCII characters: pass the key alone';
  const names = (options.tools ?? []).map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  return twice === undefined ? undefined : `two tools are named ${twice}: rename one`;
}
