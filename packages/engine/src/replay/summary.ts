import type { Bill, ReplayResult } from './replay.ts';

/** Several results as one, in shares that can be compared. Percentages run from 0 to 100; undefined where nothing counts. */
export interface Summary {
  /** Sums over all conversations; `peak` is the largest. */
  readonly total: ReplayResult;
  readonly conversations: number;
  /** Cost as a multiple of the baseline's; undefined without one. */
  readonly relativeCost: number | undefined;
  /** The same by the provider's bill; undefined without bills. */
  readonly relativeBill: number | undefined;
  /** Percent of the needed literals that the view held. */
  readonly coverage: number | undefined;
  /** Percent of them that stood behind a handle. */
  readonly behind: number | undefined;
  /** Percent of the needed lines that the view held. */
  readonly spans: number | undefined;
  /** Percent of them that stood behind a handle. */
  readonly spansBehind: number | undefined;
  /** Percent of the user's demands that the view held word for word. */
  readonly demands: number | undefined;
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
  const base = baseline && sum(baseline);
  return {
    total,
    conversations: results.length,
    relativeCost: base && ratio(total.cost, base.cost),
    relativeBill: base && total.bill && ratio(total.bill.cost, base.bill?.cost ?? 0),
    coverage: percent(total.had, total.needed),
    behind: percent(total.behind, total.needed),
    spans: percent(total.spansHad, total.spans),
    spansBehind: percent(total.spansBehind, total.spans),
    demands: percent(total.demandsHad, total.demands),
    invalid: percent(total.invalid, total.calls),
    rewrites: percent(total.rewrites, total.calls),
    overBudget: percent(total.overBudget, total.calls),
    cacheHit: percent(total.cached, total.tokens),
    tokensPerCall: ratio(total.tokens, total.calls),
    msPerCall: ratio(total.ms, total.calls),
  };
}

/** What the same requests would have cost, as a multiple of the baseline's, with other prices. Pure. */
export function relativeCostAt(
  prices: { readonly read: number; readonly write: number },
  results: readonly ReplayResult[],
  baseline: readonly ReplayResult[],
): number | undefined {
  const at = ({ cached, tokens, bill }: ReplayResult): number =>
    bill
      ? prices.read * bill.read + prices.write * bill.written + bill.plain
      : prices.read * cached + prices.write * (tokens - cached);
  return ratio(at(sum(results)), at(sum(baseline)));
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
    behind: of((r) => r.behind),
    spans: of((r) => r.spans),
    spansHad: of((r) => r.spansHad),
    spansBehind: of((r) => r.spansBehind),
    repeats: of((r) => r.repeats),
    askedAgain: of((r) => r.askedAgain),
    demands: of((r) => r.demands),
    demandsHad: of((r) => r.demandsHad),
    demandsBehind: of((r) => r.demandsBehind),
    folds: of((r) => r.folds),
    ms: of((r) => r.ms),
  };
  const budgeted = results.some((result) => result.overBudget !== undefined);
  const bill = sumBills(results.flatMap((result) => result.bill ?? []));
  return { ...total, ...(budgeted ? { overBudget: of((r) => r.overBudget ?? 0) } : {}), ...(bill ? { bill } : {}) };
}

function sumBills(bills: readonly Bill[]): Bill | undefined {
  if (bills.length === 0) return undefined;
  const of = (key: keyof Bill): number => bills.reduce((n, bill) => n + bill[key], 0);
  return { read: of('read'), written: of('written'), plain: of('plain'), cost: of('cost'), timed: of('timed') };
}

function percent(part: number | undefined, whole: number): number | undefined {
  return part === undefined ? undefined : ratio(100 * part, whole);
}

function ratio(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}
