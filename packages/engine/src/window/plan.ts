import { isHoldfastError } from '../errors.ts';
import { type FoldOutput, keepAll, withSummary } from '../fold/assemble.ts';
import { foldView } from '../fold/fold.ts';
import type { FoldInput } from '../fold/fold-turn.ts';
import { isPinned } from '../fold/pins.ts';
import { trimmers } from '../fold/receipt.ts';
import type { Memory } from '../history/memory.ts';
import { originalAt } from '../history/recall.ts';
import { EMPTY_DIGEST } from '../note/digest.ts';
import { type Budget, exceeds, type Size } from '../size/budget.ts';
import { limitsLeft } from '../size/media-limits.ts';
import { type Load, NO_LOAD } from '../size/tokens.ts';
import { NO_SUMMARY, type Summary } from '../state/state.ts';
import type { Strategy } from '../strategy.ts';
import type { Abortable } from '../summaries/summaries.ts';
import { checkMessages } from '../turns/read-turns.ts';
import { firstDifference, sendable, viewLoad } from '../view/view.ts';
import { latestFrom, newCuts, unremindTurn } from '../view/view-turn.ts';
import type { Core } from './core.ts';
import { isDue } from './is-due.ts';

export interface PlanOptions {
  readonly preview?: boolean;
  readonly signal?: Abortable;
  readonly rest?: boolean;
  /** Only cut results that have left the last exchange. */
  readonly trims?: boolean;
  readonly transient?: { readonly load: Load };
}

/** A fold that is ready to be made. */
export interface Planned<M> extends FoldOutput<M> {
  readonly summary: Summary;
  readonly trims?: true;
}

/** What a fold would do to the view; undefined if nothing would change. Throws OVER_BUDGET. */
export async function planFold<M>(
  core: Core<M>,
  memory: Memory<M>,
  budget: Budget,
  options: PlanOptions,
): Promise<Planned<M> | undefined> {
  const { transient, trims = false } = options;
  const { dialect } = core.format;
  const own = foldInput(core, memory, budget);
  const rest = { ...own, dialect: { ...dialect, limits: limitsLeft(dialect.limits, transient?.load ?? NO_LOAD) } };
  const input = trims ? { ...rest, trims, strategies: trimmers(core.strategies) } : rest;
  const output = foldWithReminders(input);
  return output && addSummary(core, memory, input, output, options);
}

/** A fold that removes all reminders if the rest fits only without them: a reminder never makes a view too large. */
function foldWithReminders<M>(input: FoldInput<M>): FoldOutput<M> | undefined {
  try {
    return foldView(input);
  } catch (error) {
    const isOver = isHoldfastError(error) && error.code === 'OVER_BUDGET';
    if (!isOver || !input.view.turns.some(({ reminder }) => reminder)) throw error;
    const view = { ...input.view, turns: input.view.turns.map(unremindTurn) };
    const bare = { ...input, view, load: viewLoad(view) };
    const output = foldView(bare) ?? keepAll(bare);
    return { ...output, changedFrom: firstDifference(input.view, output.view) };
  }
}

export function foldInput<M>(core: Core<M>, memory: Memory<M>, budget: Budget, focus?: string): FoldInput<M> {
  const { view, load, revisions, seen, pins, log } = memory;
  const { digest = EMPTY_DIGEST, summary = NO_SUMMARY, covered = 0 } = log.at(-1) ?? {};
  return {
    dialect: core.format.dialect,
    reader: core.reader,
    strategies: core.strategies,
    view,
    load,
    budget,
    calibration: core.calibration,
    digest,
    summary,
    summarize: core.config.summarize_on_trim === true,
    revisions,
    seen,
    covered,
    pins,
    ...(focus === undefined ? {} : { focus }),
  };
}

/** The fold with a new summary, if it needs one. Checks the view. Throws INVALID_HISTORY. */
export async function addSummary<M>(
  core: Core<M>,
  memory: Memory<M>,
  input: FoldInput<M>,
  folded: FoldOutput<M>,
  { preview, signal, rest }: PlanOptions,
): Promise<Planned<M>> {
  const { summaries, format } = core;
  let output = folded;
  let { summary } = input;
  if (summaries && output.kind !== 'summary') summary = { ...summary, pending: summaries.pendingAfter(input, output) };
  if (summaries && output.kind === 'summary' && !preview && input.budget.summary > 0) {
    summary = await summaries.forFold(input, output, originals(core, memory), signal);
    signal?.throwIfAborted();
    if (summary.text !== input.summary.text) output = withSummary(input, output, summary.text);
  }
  checkMessages(format.dialect, sendable(format.dialect, output.view), rest);
  return { ...output, summary, ...(input.trims ? { trims: true } : {}) };
}

/** Share of the size of the next fold from which on its summary may start. */
const FORESIGHT = 0.85;

/** Starts the summary of the next fold in the background if that fold is near. */
export async function startSummary<M>(core: Core<M>, memory: Memory<M>, budget: Budget, size: Size): Promise<void> {
  if (!core.summaries || memory.hold) return;
  const ahead = { messages: size.messages / FORESIGHT, tokens: size.tokens / FORESIGHT };
  const then = { ...budget, grown: budget.grown + ahead.tokens - size.tokens };
  if (!exceeds(ahead, budget.max) && !isDue(core.strategies, ahead, then)) return;
  const plan = (coming: number) => {
    const preserve_last_n = Math.max(0, budget.preserve_last_n - coming);
    const input = foldInput(core, memory, { ...budget, preserve_last_n });
    const output = foldView(input);
    return output?.kind === 'summary' ? { input, output } : undefined;
  };
  // By the time of the fold, as many messages as are still to come will have left the tail.
  const turn = memory.view.turns.at(-1)?.messages.length ?? 1;
  const left = ahead.messages > budget.max.messages ? budget.max.messages + 1 - size.messages : 0;
  const coming = turn * Math.ceil(left / turn);
  await core.summaries.foresee([0, coming], plan, originals(core, memory));
}

/** Originals for a summary, which can do without those that are lost. */
function originals<M>(core: Core<M>, memory: Memory<M>): (index: number) => Promise<M | undefined> {
  return (index) => originalAt(core.archive, memory, index).catch(() => undefined);
}

/** True if a result that should have been cut when it left the last exchange is still whole. */
export function hasUntrimmed<M>(strategies: readonly Strategy[], { view: { turns }, pins }: Memory<M>): boolean {
  const chars = Math.min(...strategies.map(({ trim_chars = Number.POSITIVE_INFINITY }) => trim_chars));
  return turns
    .slice(0, latestFrom(turns))
    .some((turn) => turn.load.chars > chars && !isPinned(turn, pins) && newCuts(turn, chars, '').length > 0);
}
