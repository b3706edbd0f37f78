import { createHash } from 'node:crypto';
import { cachePrices, cacheRules, costOfTokens, type ModelOverrides, modelInfo } from '@holdfast/models';
import type { ConversationHistoryConfig, Summarizer } from 'holdfast';
import {
  type CallFigures,
  createPolicy,
  type ProbeResult,
  predictPrompts,
  probe,
  type ReplayOptions,
  type ReplayResult,
  replay,
  wantsSummaries,
} from '../index.ts';
import type { Recording } from '../transcripts/index.ts';
import { type CallTrace, traceOf } from './trace.ts';

/** A policy with a budget. */
export interface Combination {
  readonly policy: string;
  /** Absent for `everything`. */
  readonly budget?: number;
  /** For a policy of the user's own. */
  readonly config?: ConversationHistoryConfig;
}

/** What every job needs. Plain data, because it goes to other threads. */
export interface Settings {
  readonly combinations: readonly Combination[];
  readonly reserve: number;
  /** Overrides the recorded model. */
  readonly model?: string;
  readonly overrides: ModelOverrides;
  /** Recorded summaries by the hash of their prompt; absent if none were given. */
  readonly summaries?: ReadonlyMap<string, string>;
  /** Whether to plant statements and look for them. */
  readonly probes: boolean;
  /** Whether to keep figures of every call, not only sums. */
  readonly traced: boolean;
}

/** The results of one conversation, in the order of the combinations. */
export interface JobResult {
  readonly name: string;
  readonly model?: string;
  readonly messages: number;
  readonly baseline: ReplayResult;
  readonly results: readonly ReplayResult[];
  /** Relative errors when predicting recorded prompt sizes. */
  readonly errors: readonly number[];
  /** The statements planted for each combination. */
  readonly probed?: readonly (readonly ProbeResult[])[];
  readonly traces?: readonly (readonly CallTrace[])[];
  /** Prompts without a recorded summary, by hash; and their number per combination. */
  readonly missing: ReadonlyMap<string, string>;
  readonly unsummarized: readonly number[];
}

/** Replays one conversation under every combination. Deterministic. Rejects if a policy throws. */
export async function runJob(recording: Recording, settings: Settings): Promise<JobResult> {
  const { messages, prompts, name } = recording;
  const model = settings.model ?? recording.model;
  const billing = model === undefined ? undefined : billingOf(model, settings.overrides);
  // Only `--model` says which model will be used; without it, folds use the prices of the reference measure.
  const prices = settings.model === undefined ? undefined : cachePrices(modelInfo(settings.model, settings.overrides));
  const options: ReplayOptions = { overhead: settings.reserve, ...(billing ? { billing } : {}) };
  const baseline = await replay(recording, () => createPolicy('everything', { budget: 0, reserve: 0 }), options);
  const results: ReplayResult[] = [];
  const traces: CallTrace[][] = [];
  const probed: ProbeResult[][] = [];
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
    const makePolicy = () => createPolicy(policy, parts);
    results.push(await replay(recording, makePolicy, { ...options, ...limit, ...watched }));
    if (settings.probes) probed.push(await probe(recording, makePolicy, { seed: seedOf(name) }));
    traces.push(calls.map(traceOf));
  }
  return {
    name,
    ...(model === undefined ? {} : { model }),
    messages: messages.length,
    baseline,
    results,
    errors: predictPrompts(messages, prompts).map(({ error }) => error),
    ...(settings.probes ? { probed } : {}),
    ...(settings.traced ? { traces } : {}),
    missing: new Map(missing.flatMap((one) => [...one])),
    unsummarized: missing.map(({ size }) => size),
  };
}

/** The same for a conversation in any order of files, on any number of threads. */
function seedOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32LE();
}

/** The key of a recorded summary. */
function summaryKey(prompt: string): string {
  return createHash('sha256').update(prompt).digest('hex');
}

/** Answers with recorded summaries; fails for others, so that the digest is used. */
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

/** How the model's prompts are billed, in dollars; undefined if its prices are unknown. Pure. */
export function billingOf(model: string, overrides: ModelOverrides): ReplayOptions['billing'] {
  const info = modelInfo(model, overrides);
  const { prices } = info;
  if (prices?.input === undefined || prices.cache_read === undefined) return undefined;
  const known = { cache_write: prices.input, ...prices };
  return {
    rules: cacheRules(info),
    price: ({ read, written, plain }) => {
      const used = { inputTokens: plain, outputTokens: 0, cacheReadTokens: read, cacheWriteTokens: written };
      return costOfTokens({ ...used, cacheWrite1hTokens: 0 }, known) ?? 0;
    },
  };
}
