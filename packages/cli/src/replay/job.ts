import { createHash } from 'node:crypto';
import { cachePrices, costOfTokens, type FoundModel, type ModelOverrides, modelInfo } from '@holdfast/agent/models';
import type { Recording } from '@holdfast/agent/transcripts';
import type { ConversationHistoryConfig, Summarizer } from 'holdfast';
import {
  type CacheRules,
  type CallFigures,
  createPolicy,
  predictPrompts,
  type ReplayOptions,
  type ReplayResult,
  replay,
  wantsSummaries,
} from 'holdfast/replay';
import { type CallTrace, traceOf } from './trace.ts';

/** A policy at a budget. */
export interface Combination {
  readonly policy: string;
  /** Absent for sending everything. */
  readonly budget?: number;
  /** Of a policy that the user brought. */
  readonly config?: ConversationHistoryConfig;
}

/** What every job needs to know. Plain data: it goes to other threads. */
export interface Settings {
  readonly combinations: readonly Combination[];
  readonly reserve: number;
  /** Instead of the recorded ones. */
  readonly model?: string;
  readonly overrides: ModelOverrides;
  /** Recorded summaries by the hash of their prompt; undefined: none were given. */
  readonly summaries?: ReadonlyMap<string, string>;
  /** Every call is wanted, not only sums. */
  readonly traced: boolean;
}

/** What became of one conversation under every combination, in their order. */
export interface JobResult {
  readonly name: string;
  readonly model?: string;
  readonly messages: number;
  readonly baseline: ReplayResult;
  readonly results: readonly ReplayResult[];
  /** Errors of the prediction of recorded prompts, as shares. */
  readonly errors: readonly number[];
  readonly traces?: readonly (readonly CallTrace[])[];
  /** Prompts for which no summary is recorded, by their hash; and how many of them under each combination. */
  readonly missing: ReadonlyMap<string, string>;
  readonly unsummarized: readonly number[];
}

/** Replays one conversation under every combination. Deterministic. Rejects with what a policy throws. */
export async function runJob(recording: Recording, settings: Settings): Promise<JobResult> {
  const { messages, prompts, name } = recording;
  const model = settings.model ?? recording.model;
  const billing = model === undefined ? undefined : billingOf(model, settings.overrides);
  // Which model will be used only `--model` tells: without it all folds go by the prices of the reference measure.
  const prices = settings.model === undefined ? undefined : cachePrices(modelInfo(settings.model, settings.overrides));
  const options: ReplayOptions = { overhead: settings.reserve, ...(billing ? { billing } : {}) };
  const baseline = await replay(recording, () => createPolicy('everything', { budget: 0, reserve: 0 }), options);
  const results: ReplayResult[] = [];
  const traces: CallTrace[][] = [];
  const missing: Map<string, string>[] = [];
  for (const { policy, budget, config } of settings.combinations) {
    const calls: CallFigures[] = [];
    const unknown = new Map<string, string>();
    missing.push(unknown);
    const summarizer = wantsSummaries(policy, config) ? recorded(settings.summaries, unknown) : undefined;
    const own = { ...(summarizer && { summarizer }), ...(config && { config }), ...(prices && { prices }) };
    const parts = { budget: budget ?? 0, reserve: settings.reserve, ...own };
    const watched = settings.traced ? { onCall: (call: CallFigures) => void calls.push(call) } : {};
    const limit = budget === undefined ? {} : { budget };
    results.push(await replay(recording, () => createPolicy(policy, parts), { ...options, ...limit, ...watched }));
    traces.push(calls.map(traceOf));
  }
  return {
    name,
    ...(model === undefined ? {} : { model }),
    messages: messages.length,
    baseline,
    results,
    errors: predictPrompts(messages, prompts).map(({ error }) => error),
    ...(settings.traced ? { traces } : {}),
    missing: new Map(missing.flatMap((one) => [...one])),
    unsummarized: missing.map(({ size }) => size),
  };
}

/** The hash by which a recorded summary is found. */
function summaryKey(prompt: string): string {
  return createHash('sha256').update(prompt).digest('hex');
}

/** Answers from what was recorded; what was not fails, and the digest stands in. */
function recorded(summaries: Settings['summaries'], missing: Map<string, string>): Summarizer | undefined {
  return (
    summaries && {
      async call(prompt) {
        const key = summaryKey(prompt);
        const summary = summaries.get(key);
        if (summary !== undefined) return summary;
        missing.set(key, prompt);
        throw new Error('no summary is recorded for this prompt');
      },
    }
  );
}

const MINUTE = 60_000;
const LOOKBACK = 20;
const STEP = 128;

/** How the provider of a model caches prompts. Pure. */
function rulesOf({ provider, cache, prices }: FoundModel): CacheRules {
  const { minimum } = cache;
  if (provider === 'anthropic')
    return { type: 'breakpoints', minimum, lookback: cache.lookback ?? LOOKBACK, ttl: 5 * MINUTE };
  // OpenAI's models for which writing has a price of its own keep what ends at a breakpoint; older ones every step.
  const paid = (prices?.cache_write ?? 0) > (prices?.input ?? 0);
  if (paid) return { type: 'breakpoints', minimum, ttl: 30 * MINUTE };
  return { type: 'steps', step: STEP, minimum, ttl: 10 * MINUTE };
}

/** How prompts of a model are billed, in dollars; undefined where its prices are not known. Pure. */
export function billingOf(model: string, overrides: ModelOverrides): ReplayOptions['billing'] {
  const info = modelInfo(model, overrides);
  const { prices } = info;
  if (prices?.input === undefined || prices.cache_read === undefined) return undefined;
  const known = { cache_write: prices.input, ...prices };
  return {
    rules: rulesOf(info),
    price: ({ read, written, plain }) => {
      const used = { inputTokens: plain, outputTokens: 0, cacheReadTokens: read, cacheWriteTokens: written };
      return costOfTokens({ ...used, cacheWrite1hTokens: 0 }, known) ?? 0;
    },
  };
}
