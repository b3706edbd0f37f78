import { NO_CALLS } from './measure.ts';
import type { ReplayResult } from './replay.ts';

/** Several results as comparable shares. Percentages run from 0 to 100; undefined if there is nothing to count. */
export interface Summary {
  /** Sums over all conversations; `peak` is the largest. */
  readonly total: ReplayResult;
  readonly conversations: number;
  /** Cost as a multiple of the baseline's; undefined without one. */
  readonly relativeCost: number | undefined;
  /** The same by the provider's bill; undefined without bills. */
  readonly relativeBill: number | undefined;
  /** Percent of the needed literals in the view. */
  readonly coverage: number | undefined;
  /** Percent of the needed lines in the view. */
  readonly spans: number | undefined;
  /** The average of both, in percent; if only one of them was needed, that one. */
  readonly kept: number | undefined;
  /** Percent of the needed lines in the view, or pointed to by it. */
  readonly pointed: number | undefined;
  /** Percent of calls. */
  readonly invalid: number | undefined;
  /** Percent of calls. */
  readonly rewrites: number | undefined;
  /** Percent of calls; undefined without a budget. */
  readonly overBudget: number | undefined;
  /** Percent of all tokens read from the cache. */
  readonly cacheHit: number | undefined;
  readonly tokensPerCall: number | undefined;
  readonly msPerCall: number | undefined;
}

/** Sums results and compares them with a baseline on the same conversations. Pure. */
export function summarize(results: readonly ReplayResult[], baseline?: readonly ReplayResult[]): Summary {
  const total = sum(results);
  const base = baseline && sum(baseline);
  return {
    total,
    conversations: results.length,
    relativeCost: base && ratio(total.cost, base.cost),
    relativeBill: base && total.bill && ratio(total.bill.cost, base.bill?.cost ?? 0),
    coverage: percent(total.had, total.needed),
    spans: percent(total.spansHad, total.spans),
    kept: keptOf(total),
    pointed: percent(total.spansHad + total.pointed, total.spans),
    invalid: percent(total.invalid, total.calls),
    rewrites: percent(total.rewrites, total.calls),
    overBudget: percent(total.overBudget, total.calls),
    cacheHit: percent(total.cached, total.tokens),
    tokensPerCall: ratio(total.tokens, total.calls),
    msPerCall: ratio(total.ms, total.calls),
  };
}

/** How much of what later calls needed was in the view, in percent: names and lines count as much as each other. Pure. */
export function keptOf({
  had,
  needed,
  spansHad,
  spans,
}: Pick<ReplayResult, 'had' | 'needed' | 'spansHad' | 'spans'>): number | undefined {
  const [names, lines] = [percent(had, needed), percent(spansHad, spans)];
  return names === undefined || lines === undefined ? (names ?? lines) : (names + lines) / 2;
}

/** What the same requests would cost at other prices, as a multiple of the baseline's cost. Pure. */
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
  const total = addUp(results, Object.keys(NO_CALLS) as (keyof typeof NO_CALLS)[]);
  const peak = results.reduce((most, result) => Math.max(most, result.peak), 0);
  const overBudget = results.flatMap((result) => result.overBudget ?? []).reduce((n, count) => n + count, 0);
  const budgeted = results.some((result) => result.overBudget !== undefined);
  const bills = results.flatMap((result) => result.bill ?? []);
  return {
    ...total,
    peak,
    ...(budgeted ? { overBudget } : {}),
    ...(bills.length > 0 ? { bill: addUp(bills, ['read', 'written', 'plain', 'cost', 'timed']) } : {}),
  };
}

function addUp<K extends string>(list: readonly Readonly<Record<K, number>>[], keys: readonly K[]): Record<K, number> {
  const sums = keys.map((key) => [key, list.reduce((n, one) => n + one[key], 0)] as const);
  return Object.fromEntries(sums) as Record<K, number>;
}

function percent(part: number | undefined, whole: number): number | undefined {
  return part === undefined ? undefined : ratio(100 * part, whole);
}

function ratio(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}
