import type { ReplayResult } from './replay.ts';

/** Several results as one, in shares that can be compared. Percentages run from 0 to 100; undefined where nothing counts. */
export interface Summary {
  /** Sums over all conversations; `peak` is the largest. */
  readonly total: ReplayResult;
  readonly conversations: number;
  /** Cost as a multiple of the baseline's; undefined without one. */
  readonly relativeCost: number | undefined;
  /** Percent of the needed literals that the view held. */
  readonly coverage: number | undefined;
  /** Percent of the needed lines that the view held. */
  readonly spans: number | undefined;
  /** Percent of calls. */
  readonly invalid: number | undefined;
  /** Percent of calls. */
  readonly rewrites: number | undefined;
  /** Percent of calls; undefined without a budget. */
  readonly overBudget: number | undefined;
  /** Percent of all tokens that were read from the cache. */
  readonly cacheHit: number | undefined;
  readonly tokensPerCall: number | undefined;
  readonly msPerCall: number | undefined;
}

/** Sums results and sets them against those of a baseline on the same conversations. Pure. */
export function summarize(results: readonly ReplayResult[], baseline?: readonly ReplayResult[]): Summary {
  const total = sum(results);
  return {
    total,
    conversations: results.length,
    relativeCost: baseline && ratio(total.cost, sum(baseline).cost),
    coverage: percent(total.had, total.needed),
    spans: percent(total.spansHad, total.spans),
    invalid: percent(total.invalid, total.calls),
    rewrites: percent(total.rewrites, total.calls),
    overBudget: percent(total.overBudget, total.calls),
    cacheHit: percent(total.cached, total.tokens),
    tokensPerCall: ratio(total.tokens, total.calls),
    msPerCall: ratio(total.ms, total.calls),
  };
}

function sum(results: readonly ReplayResult[]): ReplayResult {
  const of = (pick: (result: ReplayResult) => number): number => results.reduce((n, result) => n + pick(result), 0);
  const total = {
    calls: of((r) => r.calls),
    cost: of((r) => r.cost),
    peak: results.reduce((peak, result) => Math.max(peak, result.peak), 0),
    tokens: of((r) => r.tokens),
    cached: of((r) => r.cached),
    rewrites: of((r) => r.rewrites),
    invalid: of((r) => r.invalid),
    boundedCalls: of((r) => r.boundedCalls),
    needed: of((r) => r.needed),
    had: of((r) => r.had),
    spans: of((r) => r.spans),
    spansHad: of((r) => r.spansHad),
    ms: of((r) => r.ms),
  };
  const budgeted = results.some((result) => result.overBudget !== undefined);
  return budgeted ? { ...total, overBudget: of((r) => r.overBudget ?? 0) } : total;
}

function percent(part: number | undefined, whole: number): number | undefined {
  return part === undefined ? undefined : ratio(100 * part, whole);
}

function ratio(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}
