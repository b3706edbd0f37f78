import { createCache } from './cache.ts';
import { type ChatMessage, commonPrefix, remembered } from './chat.ts';
import { createMeter } from './cost.ts';
import { fillsOf } from './fills.ts';
import { literals, neededLiterals } from './literals.ts';
import { createPointers } from './pointers.ts';
import { createPresence } from './presence.ts';
import { createRepeats } from './repeats.ts';
import type { Bill, CallFigures, Policy, ReplayOptions, ReplayResult } from './replay.ts';
import { lines, neededLines } from './spans.ts';

type Tally = { -readonly [K in keyof ReplayResult]: ReplayResult[K] };
type Messages = readonly ChatMessage[];

const literalsOf = remembered(literals);
const linesOf = remembered(lines);
const neededLiteralsOf = remembered(neededLiterals);
const neededLinesOf = remembered(neededLines);

/** The result before the first call: every figure that results have and that can be added up. */
export const NO_CALLS = {
  calls: 0,
  cost: 0,
  peak: 0,
  tokens: 0,
  cached: 0,
  rewrites: 0,
  invalid: 0,
  refused: 0,
  boundedCalls: 0,
  needed: 0,
  had: 0,
  spans: 0,
  spansHad: 0,
  pointed: 0,
  repeats: 0,
  askedAgain: 0,
  folds: 0,
  reminders: 0,
  ms: 0,
} satisfies ReplayResult;

/** Measures the calls of one conversation under one policy, in order. */
export interface Measure {
  add(history: Messages, view: Messages, answer: ChatMessage, time?: number): Promise<void>;
  /** Counts a call whose view the policy refused to make; the caller then adds the history as its view. */
  refuse(): void;
  result(): ReplayResult;
}

/** What the view of one call lacked. */
type Missed = Pick<CallFigures, 'missing' | 'missingLines' | 'askedAgain'>;

const NOTHING_MISSED: Missed = { missing: [], missingLines: [], askedAgain: [] };

/** A measure without any calls yet. */
export function createMeasure(
  policy: Policy,
  options: ReplayOptions & Required<Pick<ReplayOptions, 'size' | 'validate'>>,
): Measure {
  const { prices = { read: 0.1, write: 1.25 }, overhead = 10_000, size, validate, onCall } = options;
  const { budget = Number.POSITIVE_INFINITY, billing } = options;
  const tally: Tally = { ...NO_CALLS, ...(options.budget === undefined ? {} : { overBudget: 0 }) };
  const charge = createMeter({ prices, overhead, size });
  const bill = billing && createBill(billing, overhead, size);
  const miss = createMiss(tally, policy);
  return {
    async add(history, view, answer, time) {
      const { cost, total, cached, rewrite } = charge(view);
      tally.calls += 1;
      tally.cost += cost;
      tally.peak = Math.max(tally.peak, total);
      tally.tokens += total + overhead;
      tally.cached += cached + overhead;
      if (rewrite) tally.rewrites += 1;
      if (validate(view).length > 0) tally.invalid += 1;
      if (total > budget && tally.overBudget !== undefined) tally.overBudget += 1;
      const receipt = policy.receipt?.();
      if (receipt) tally.folds += 1;
      if (policy.reminded?.()) tally.reminders += 1;
      if (bill) tally.bill = bill(view, time);
      const missed = sameMessages(view, history) ? NOTHING_MISSED : await miss(history, view, answer);
      onCall?.({
        answer: history.length,
        tokens: total,
        history: history.reduce((sum, message) => sum + size(message), 0),
        cost,
        rewrite,
        fills: fillsOf(view, history, size),
        ...(receipt ? { receipt } : {}),
        ...missed,
      });
    },
    refuse() {
      tally.refused += 1;
    },
    result: () => ({ ...tally }),
  };
}

/** Returns a function that adds up what views lack of what their answers used. */
function createMiss(tally: Tally, policy: Policy) {
  const findLiterals = createPresence(literalsOf);
  const findLines = createPresence(linesOf);
  const findRepeats = createRepeats();
  const pointsTo = createPointers(policy);

  return async (history: Messages, view: Messages, answer: ChatMessage): Promise<Missed> => {
    tally.boundedCalls += 1;
    const words = findLiterals(neededLiteralsOf(answer), history, view);
    tally.needed += words.needed;
    tally.had += words.had;
    const missingLines: string[] = [];
    for (const edit of neededLinesOf(answer)) {
      const { needed, had, missing } = findLines(edit.lines, history, view);
      tally.spans += needed;
      tally.spansHad += had;
      for (const line of missing) if (await pointsTo(view, edit.file, line)) tally.pointed += 1;
      missingLines.push(...missing);
    }
    const { repeats, folded } = findRepeats(answer, history, view);
    tally.repeats += repeats;
    tally.askedAgain += folded.length;
    return { missing: words.missing, missingLines, askedAgain: folded };
  };
}

/** Returns a function that bills views in order and returns the sum so far. */
function createBill(
  { rules, price }: NonNullable<ReplayOptions['billing']>,
  overhead: number,
  size: (message: ChatMessage) => number,
): (view: Messages, time: number | undefined) => Bill {
  const cache = createCache(rules, overhead, size);
  let sum: Bill = { read: 0, written: 0, plain: 0, cost: 0, timed: 0 };
  return (view, time) => {
    const { read, written, plain } = cache(view, time);
    sum = {
      read: sum.read + read,
      written: sum.written + written,
      plain: sum.plain + plain,
      cost: sum.cost + price({ read, written, plain }),
      timed: sum.timed + (time === undefined ? 0 : 1),
    };
    return sum;
  };
}

function sameMessages(a: Messages, b: Messages): boolean {
  return a.length === b.length && commonPrefix(a, b) === a.length;
}
