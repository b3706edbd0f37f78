import type { Budget, Size } from '../size/budget.ts';
import { isTooMuch, sizeOf, viewLoad } from '../view/view.ts';
import type { FoldOutput } from './assemble.ts';
import { whyItStays } from './floor.ts';
import { foldView } from './fold.ts';
import type { FoldInput } from './fold-turn.ts';

/** `compact()` goes down to this share of the current messages and tokens; less far if a model summarizes. Not measured. */
const GOAL = 0.5;
const SUMMARIZED_GOAL = 0.65;
/** Shares of the current tokens that the digest and a summary may take: a note must be much shorter than what it replaces. */
const DIGEST = 0.1;
/** A tenth of a short conversation is used up by the note's first sentences: up to this much, words of user and assistant have more. Not measured. */
const SHORT = 0.3;
const SHORT_TOKENS = 300;
const SUMMARY = 0.25;
/** The share of the current messages that counts as the newest. */
const TAIL = 1 / 3;
/** A fold that leaves more than the first share of the tokens says why; one that leaves more than the second is not made. */
const WELL_BELOW = 0.75;
const HARDLY_BELOW = 0.9;

interface Made<M> {
  readonly input: FoldInput<M>;
  readonly output: FoldOutput<M>;
}

/** A fold for `compact()`, and why there is none or it saves little. */
type Compaction<M> = Partial<Made<M>> & { readonly why?: string };

/**
 * Plans a fold on demand: down to a share of the current size, or to the target if that is less. Does not touch what must
 * stay; if that is too much, `why` lists it. Pure. Throws OVER_BUDGET.
 */
export function planCompact<M>(input: FoldInput<M>): Compaction<M> {
  const { load, budget, calibration } = input;
  const size = sizeOf(load, budget, calibration);
  // The summary of a fold that is due may have been started already.
  const due = plain(input);
  if (due && isWellBelow(due, size)) return due;
  const made = aimed(input, size, SUMMARY) ?? (budget.summary > 0 ? aimed(input, size, 0) : undefined) ?? due;
  const why = whyItStays(input, size);
  if (!made) return { why: `${why}; a note on the rest would be about as long` };
  const after = sizeOf(viewLoad(made.output.view), budget, calibration);
  return after.tokens <= WELL_BELOW * size.tokens ? made : { ...made, why };
}

function isWellBelow<M>({ input, output }: Made<M>, size: Size): boolean {
  return share(input, output, size) <= WELL_BELOW && viewLoad(output.view).messages <= GOAL * size.messages;
}

/** Folds a view over its budget, however little that saves. */
function plain<M>(input: FoldInput<M>): Made<M> | undefined {
  const isOver = isTooMuch(input.dialect, input.load, input.budget, input.calibration);
  const output = isOver ? foldView(input) : undefined;
  return output && { input, output };
}

/** Folds down to the goal, with room for a summary of this share; undefined if that would save hardly anything. */
function aimed<M>(given: FoldInput<M>, size: Size, summary: number): Made<M> | undefined {
  const input = withGoal(given, size, summary);
  const output = foldView(input);
  return output && share(input, output, size) <= HARDLY_BELOW ? { input, output } : undefined;
}

/** The share of the current tokens that a fold leaves, with room for a summary that is not yet written. */
function share<M>({ budget, calibration }: FoldInput<M>, { view, kind }: FoldOutput<M>, size: Size): number {
  const { tokens } = sizeOf(viewLoad(view), budget, calibration);
  return (
    (tokens + (kind === 'summary' ? budget.summary : 0) - budget.reserve) / Math.max(1, size.tokens - budget.reserve)
  );
}

function withGoal<M>(input: FoldInput<M>, size: Size, ofSummary: number): FoldInput<M> {
  const said = size.tokens - input.budget.reserve;
  const summary = Math.floor(Math.min(input.budget.summary, said * ofSummary));
  const whole = input.budget.note - input.budget.summary;
  const tenth = Math.floor(Math.min(whole, said * DIGEST));
  // A summary says it already.
  const short = summary > 0 ? 0 : Math.floor(Math.min(whole, said * SHORT, SHORT_TOKENS));
  const digest = Math.max(tenth, short);
  const words = Math.floor((input.budget.words * tenth) / Math.max(1, whole)) + digest - tenth;
  const budget: Budget = { ...input.budget, note: digest + summary, words, summary };
  const most: Size = {
    messages: Math.max(1, Math.floor(size.messages * GOAL)),
    tokens: budget.reserve + Math.floor(said * (summary > 0 ? SUMMARIZED_GOAL : GOAL)),
  };
  const goal: Budget = {
    ...budget,
    max: least(budget.max, size),
    target: least(budget.target, most),
    preserve_last_n: Math.min(budget.preserve_last_n, Math.floor(size.messages * TAIL)),
  };
  return { ...input, budget, goal: { budget: goal, most } };
}

function least(one: Size, other: Size): Size {
  return { messages: Math.min(one.messages, other.messages), tokens: Math.min(one.tokens, other.tokens) };
}
