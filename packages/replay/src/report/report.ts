import {
  type Advice,
  advise,
  type ProbeResult,
  policyConfig,
  type ReplayResult,
  relativeCostAt,
  summarize,
  summarizeProbes,
  wantsSummaries,
} from '../index.ts';
import type { JobResult, Settings } from './job.ts';

/** Cache read prices, as multiples of the input price, to report costs for: models differ. */
export const READ_PRICES: readonly number[] = [0.1, 0.05, 0.025];
const WRITE_PRICE = 1.25;
const NONE: LeftOut = { short: 0, otherHalf: 0 };

/** What was replayed, and how to judge it. */
export interface ReportPlan {
  readonly settings: Settings;
  /** How much advice asks to keep, in percent. */
  readonly minKept: number;
  /** The source and date of the prices. */
  readonly prices: { readonly source: string; readonly date: string };
}

/** Conversations that were skipped. */
export interface LeftOut {
  /** Too short. */
  readonly short: number;
  /** In the half that was not asked for. */
  readonly otherHalf: number;
}

/** One policy with one budget, on all conversations. Percentages run from 0 to 100; null if there was nothing to count. */
export interface ReportRow {
  readonly policy: string;
  /** Null for `everything`. */
  readonly budget: number | null;
  /** As a multiple of sending everything. */
  readonly cost: number | null;
  /** The same at other cache read prices, by price. */
  readonly costAtReadPrice: Readonly<Record<string, number | null>>;
  /** Dollars for all prompts by the provider's rules, of conversations with known prices. */
  readonly dollars: number | null;
  readonly dollarsEverything: number | null;
  readonly pricedConversations: number;
  readonly coverage: number | null;
  readonly spans: number | null;
  /** The average of both, or the one that there is. */
  readonly kept: number | null;
  /** Lines in the view, or pointed to by it. */
  readonly pointed: number | null;
  /** Statements planted by `--probes` that the last view still holds; null without the flag. */
  readonly probes: ProbeShares | null;
  /** Repeated tool calls for folded results, and all repeated tool calls. */
  readonly askedAgain: number;
  readonly repeats: number;
  readonly invalid: number | null;
  readonly rewrites: number | null;
  readonly overBudget: number | null;
  /** Calls that could not be folded into the budget and would send everything. */
  readonly refused: number;
  readonly peak: number;
  readonly tokensPerCall: number | null;
  readonly cacheHit: number | null;
  readonly folds: number;
  /** Calls that got back folded lines that they were about. */
  readonly reminders: number;
  readonly calls: number;
  readonly boundedCalls: number;
  readonly conversations: number;
  /** Whether summaries were recorded for all prompts, some or none; the digest replaces missing ones. */
  readonly summaries: 'none' | 'recorded' | 'partly-recorded' | 'not-measured';
}

/** Percent of the planted statements that the last views hold, by who said them and by kind. */
export interface ProbeShares {
  readonly planted: number;
  readonly user: number | null;
  readonly assistant: number | null;
  readonly kinds: Readonly<Record<string, number>>;
}

/** Everything that was measured. */
export interface Report {
  readonly results: readonly ReportRow[];
  readonly conversations: number;
  readonly calls: number;
  readonly messages: number;
  /** Conversations skipped by `--min-tokens` and `--half`. */
  readonly leftOut: LeftOut;
  readonly reserve: number;
  readonly model: string | null;
  readonly prices: ReportPlan['prices'];
  /** Error of the token counts against recorded usage; null without usage. */
  readonly prediction: { readonly calls: number; readonly medianError: number } | null;
  readonly advice?: Advice;
  /** The advice as settings for holdfast.yml. */
  readonly snippet?: string;
}

/** Sums up the jobs. Pure. */
export function reportOf(
  jobs: readonly JobResult[],
  plan: ReportPlan,
  wantsAdvice: boolean,
  leftOut: LeftOut = NONE,
): Report {
  const { combinations, reserve, model } = plan.settings;
  const baseline = jobs.map((job) => job.baseline);
  const total = summarize(baseline).total;
  const results = combinations.map((_, at) => rowOf(jobs, at, plan));
  const errors = jobs.flatMap((job) => job.errors).sort((a, b) => a - b);
  const advice = wantsAdvice ? adviceOf(jobs, baseline, plan) : undefined;
  return {
    results,
    conversations: jobs.length,
    calls: total.calls,
    messages: jobs.reduce((sum, { messages }) => sum + messages, 0),
    leftOut,
    reserve,
    model: model ?? null,
    prices: plan.prices,
    prediction: errors.length > 0 ? { calls: errors.length, medianError: errors[errors.length >> 1] ?? 0 } : null,
    ...(advice ? { advice } : {}),
    ...(advice?.type === 'choice' ? { snippet: snippetOf(advice.policy, advice.budget, plan) } : {}),
  };
}

function rowOf(jobs: readonly JobResult[], at: number, plan: ReportPlan): ReportRow {
  const { policy = '', budget = null } = plan.settings.combinations[at] ?? {};
  const results = jobs.flatMap((job) => job.results[at] ?? []);
  const baseline = jobs.map((job) => job.baseline);
  const sum = summarize(results, baseline);
  const { total } = sum;
  const cost = plan.settings.model === undefined ? sum.relativeCost : sum.relativeBill;
  const plain = plan.settings.model === undefined ? withoutBills(results) : results;
  const plainBase = plan.settings.model === undefined ? withoutBills(baseline) : baseline;
  const atPrice = (read: number) => relativeCostAt({ read, write: WRITE_PRICE }, plain, plainBase) ?? null;
  return {
    policy,
    budget,
    cost: cost ?? null,
    costAtReadPrice: Object.fromEntries(READ_PRICES.map((read) => [String(read), atPrice(read)])),
    dollars: total.bill?.cost ?? null,
    dollarsEverything: summarize(baseline).total.bill?.cost ?? null,
    pricedConversations: results.filter(({ bill }) => bill !== undefined).length,
    coverage: sum.coverage ?? null,
    spans: sum.spans ?? null,
    kept: sum.kept ?? null,
    pointed: sum.pointed ?? null,
    probes: plan.settings.probes ? probeShares(jobs.flatMap((job) => job.probed?.[at] ?? [])) : null,
    askedAgain: total.askedAgain,
    repeats: total.repeats,
    invalid: sum.invalid ?? null,
    rewrites: sum.rewrites ?? null,
    overBudget: sum.overBudget ?? null,
    refused: total.refused,
    peak: total.peak,
    tokensPerCall: sum.tokensPerCall ?? null,
    cacheHit: sum.cacheHit ?? null,
    folds: total.folds,
    reminders: total.reminders,
    calls: total.calls,
    boundedCalls: total.boundedCalls,
    conversations: results.length,
    summaries: summariesOf(jobs, at, plan),
  };
}

function probeShares(probed: readonly ProbeResult[]): ProbeShares {
  const { user = null, assistant = null, ...rest } = summarizeProbes(probed);
  return { ...rest, user, assistant };
}

function summariesOf(jobs: readonly JobResult[], at: number, { settings }: ReportPlan): ReportRow['summaries'] {
  const { policy = '', config } = settings.combinations[at] ?? {};
  if (!wantsSummaries(policy, config)) return 'none';
  if (!settings.summaries?.size) return 'not-measured';
  return jobs.some(({ unsummarized }) => (unsummarized[at] ?? 0) > 0) ? 'partly-recorded' : 'recorded';
}

/** For the reference measure, which must not mix conversations with and without a bill. */
function withoutBills(results: readonly ReplayResult[]): ReplayResult[] {
  return results.map(({ bill: _, ...result }) => result);
}

function adviceOf(jobs: readonly JobResult[], baseline: readonly ReplayResult[], plan: ReportPlan): Advice {
  const isBilled = plan.settings.model !== undefined;
  const own = (results: readonly ReplayResult[]) => (isBilled ? results : withoutBills(results));
  const candidates = plan.settings.combinations.flatMap(({ policy, budget }, at) =>
    budget === undefined
      ? []
      : [
          {
            policy,
            budget,
            results: own(jobs.flatMap((job) => job.results[at] ?? [])),
            ...doubtOf(summariesOf(jobs, at, plan)),
          },
        ],
  );
  return advise(candidates, own(baseline), { minKept: plan.minKept });
}

/** Figures of the digest do not apply to model summaries. */
function doubtOf(summaries: ReportRow['summaries']): { readonly doubt?: string } {
  if (summaries === 'not-measured') return { doubt: 'its model summaries are not measured' };
  return summaries === 'partly-recorded' ? { doubt: 'some of its summaries are not recorded' } : {};
}

/** A policy as settings for `holdfast.yml`. */
function snippetOf(policy: string, budget: number, { settings }: ReportPlan): string {
  const { reserve, combinations } = settings;
  const own = combinations.find((one) => one.policy === policy)?.config;
  const config = policyConfig(policy, { budget, reserve, ...(own ? { config: own } : {}) }) ?? {};
  const lines = Object.entries(config).map(
    ([key, value]) => `    ${key}: ${JSON.stringify(value).replaceAll('"', '')}`,
  );
  return ['execution:', '  conversation:', ...lines].join('\n');
}
