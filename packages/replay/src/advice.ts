import { createRandom } from './random.ts';
import type { ReplayResult } from './replay.ts';
import { keptOf, type Summary, summarize } from './summary.ts';

/** A policy at a budget, with its results by conversation, in the same order for all candidates. */
export interface Candidate {
  readonly policy: string;
  readonly budget: number;
  readonly results: readonly ReplayResult[];
  /** Why it must not be chosen, whatever its results. */
  readonly doubt?: string;
}

/** A candidate that would have been cheaper than the choice, and why it was not chosen. */
export interface PassedOver {
  readonly policy: string;
  readonly budget: number;
  readonly cost: number;
  readonly why: string;
}

/** An interval that contains 95% of the values over resampled conversations. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The cheapest candidate that keeps enough, and how sure that is; or why there is none. */
export type Advice =
  | {
      readonly type: 'choice';
      readonly policy: string;
      readonly budget: number;
      readonly summary: Summary;
      readonly cost: Interval;
      readonly kept: Interval;
      /** Share of the samples in which it keeps enough. */
      readonly confidence: number;
      /** The cheapest first. */
      readonly passedOver: readonly PassedOver[];
    }
  | { readonly type: 'none' | 'not-enough-data'; readonly why: string };

export interface AdviceOptions {
  /** How much of what was needed must be in the view: `kept` of a summary, in percent. */
  readonly minKept: number;
  readonly samples?: number;
  readonly seed?: number;
}

/** Conversations that must exceed a candidate's budget before it can be judged. No measurement supports the figure. */
const LEAST = 8;
const SAMPLES = 1_000;
/** Percent of calls. */
const MOST_OVER = 1;
/** Share of the samples in which a choice must keep enough. */
const SURE = 0.8;

/**
 * The cheapest candidate that keeps at least `minKept`, on these conversations and on most samples drawn from
 * them with replacement. Pure: the same seed draws the same samples. `baseline` is the policy that sends everything.
 */
export function advise(
  candidates: readonly Candidate[],
  baseline: readonly ReplayResult[],
  { minKept, samples = SAMPLES, seed = 1 }: AdviceOptions,
): Advice {
  const judged = candidates.map((candidate) => ({ candidate, summary: summarize(candidate.results, baseline) }));
  const enough = judged.filter(({ summary }) => (summary.kept ?? 0) >= minKept && isSound(summary));
  const bounded = (candidate: Candidate) => candidate.results.filter(({ boundedCalls }) => boundedCalls > 0).length;
  const most = Math.max(0, ...candidates.map(bounded));
  if (most < LEAST) {
    const why = `${most} of ${baseline.length} conversations are longer than a budget, and ${LEAST} are needed`;
    return { type: 'not-enough-data', why };
  }
  const costs = ({ summary }: (typeof judged)[number]) => summary.relativeBill ?? summary.relativeCost ?? 1;
  const cheapest = enough.sort((a, b) => costs(a) - costs(b));
  if (cheapest.length === 0) {
    const why = `no policy keeps ${minKept}% of what was needed at these budgets: try larger ones, or more policies`;
    return { type: 'none', why };
  }
  const passedOver: PassedOver[] = [];
  for (const one of cheapest) {
    const { candidate, summary } = one;
    const { policy, budget, results, doubt } = candidate;
    const few = bounded(candidate) < LEAST ? `only ${bounded(candidate)} conversations are that long` : undefined;
    const drawn = doubt === undefined && few === undefined ? resample(results, baseline, samples, seed) : [];
    const confidence = drawn.filter(({ kept }) => kept >= minKept).length / samples;
    if (confidence >= SURE) {
      const cost = interval(drawn.map((each) => each.cost));
      const kept = interval(drawn.map((each) => each.kept));
      return { type: 'choice', policy, budget, summary, cost, kept, confidence, passedOver };
    }
    const why = doubt ?? few ?? `enough in only ${Math.round(100 * confidence)}% of the samples`;
    passedOver.push({ policy, budget, cost: costs(one), why });
  }
  const why = passedOver.map((one) => `${one.policy} at ${one.budget}: ${one.why}`).join('; ');
  return { type: 'not-enough-data', why };
}

/** Nothing invalid, and hardly anything over budget: what must stay sometimes exceeds a small budget. */
function isSound({ invalid, overBudget = 0 }: Summary): boolean {
  return invalid === 0 && overBudget <= MOST_OVER;
}

/** What samples of the conversations, drawn with replacement, cost and keep. */
function resample(
  results: readonly ReplayResult[],
  baseline: readonly ReplayResult[],
  samples: number,
  seed: number,
): { cost: number; kept: number }[] {
  const random = createRandom(seed);
  return Array.from({ length: samples }, () => {
    let [cost, base] = [0, 0];
    const sums = { had: 0, needed: 0, spansHad: 0, spans: 0 };
    for (let n = 0; n < results.length; n++) {
      const at = Math.floor(random() * results.length);
      cost += costOf(results[at]);
      base += costOf(baseline[at]);
      for (const key of COUNTED) sums[key] += results[at]?.[key] ?? 0;
    }
    return { cost: base > 0 ? cost / base : 1, kept: keptOf(sums) ?? 100 };
  });
}

const COUNTED = ['had', 'needed', 'spansHad', 'spans'] as const;

function costOf(result: ReplayResult | undefined): number {
  return result?.bill?.cost ?? result?.cost ?? 0;
}

/** The middle 95% of the values. */
function interval(values: readonly number[]): Interval {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return { low: at(0.025), high: at(0.975) };
}
