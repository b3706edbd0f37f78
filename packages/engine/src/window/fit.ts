import type { Dialect } from '../dialect.ts';
import { makeReceipt, type Receipt } from '../fold/receipt.ts';
import { foldedUpTo, type Memory } from '../history/memory.ts';
import type { NewReminder } from '../reminders/new-reminder.ts';
import { type Budget, exceeds, type Size } from '../size/budget.ts';
import { overLimits } from '../size/media-limits.ts';
import { addLoads, type Calibration, type Load, NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { Abortable } from '../summaries/summaries.ts';
import { checkRules, readMessages } from '../turns/read-turns.ts';
import { sendable, sizeOf, viewMessages } from '../view/view.ts';
import { type ViewTurn, viewTurnsOf } from '../view/view-turn.ts';
import { commit, commitFold } from './commit.ts';
import { budgetOf, type Core } from './core.ts';
import { isDue } from './is-due.ts';
import { hasUntrimmed, planFold, startSummary } from './plan.ts';
import { addReminder } from './remind.ts';

/** What `fit` takes besides the history. */
export interface FitOptions<M> {
  readonly offset?: number;
  readonly signal?: Abortable;
  readonly rest?: boolean;
  readonly transient?: M | readonly M[];
}

/** The figures of `trim()`. */
export interface ConversationMetrics {
  readonly totalMessages: number;
  readonly preservedMessages: number;
  readonly evictedMessages: number;
  readonly estimatedTokens: number;
}

/** The figures of a fit. `estimatedTokens` covers everything that is sent; gauge, trigger and receipt use the same number. */
export interface FitMetrics extends ConversationMetrics {
  readonly maskedMessages: number;
  /** Tokens of all reminders in the view. */
  readonly reminderTokens: number;
  /** The size of the whole history, including the reserve. */
  readonly historyTokens: number;
  readonly folds: number;
  /** The bounds of the view; Infinity means no bound. */
  readonly max: Size;
  /** True before the first observation: show the figure with a `~`. */
  readonly estimated: boolean;
}

/** What `fit` returns: what to send, its size, and what a fold did if there was one. */
export interface Fitted<M> {
  messages: M[];
  metrics: FitMetrics;
  receipt?: Receipt;
  /** Index of the note in `messages`. */
  note?: number;
  /** The reminder that this call added to the newest message, if any. Later views repeat it. */
  reminder?: NewReminder;
}

/** Sizes the view against the budget, folds it if that is due, and commits. `sent` is the load of the messages. */
export async function fitView<M>(
  core: Core<M>,
  updated: Memory<M>,
  last: readonly M[],
  { rest = false, signal }: FitOptions<M>,
): Promise<{ readonly fitted: Fitted<M>; readonly sent: Load }> {
  const { dialect } = core.format;
  const { seen } = core.memory;
  const { transient: _, unsent, ...others } = updated;
  const before = rest && unsent ? { ...others, unsent } : others;
  const transient = readTransient(dialect, before, last, rest);
  // Nothing checked how the last answer ends if it came with a call that sends nothing, or before a transient message.
  if (updated.seen === core.memory.seen && last.length === 0)
    checkRules(dialect, before.view.turns.at(-1)?.messages.slice(-1) ?? [], rest, updated.seen - 1);
  const memory = last.length === 0 ? before : { ...before, transient: last.length };
  const budget = budgetOf(core, memory, transient.load);
  const size = sizeOf(memory.load, budget, core.calibration);
  const isOverLimits = overLimits(addLoads(memory.load, [transient]), dialect.limits) !== '';
  const isNew = memory.seen > foldedUpTo(memory);
  const isFoldDue =
    isOverLimits ||
    (memory.hold
      ? exceedsHold(size, memory.hold) || size.tokens > budget.limit
      : exceeds(size, budget.max) || (isNew && isDue(core.strategies, size, budget)));
  const trims = !isFoldDue && isNew && !memory.hold && hasUntrimmed(core.strategies, memory);
  const options = { transient, trims, rest: rest || last.length > 0, ...(signal ? { signal } : {}) };
  const planned = isFoldDue || trims ? await planFold(core, memory, budget, options) : undefined;
  if (!isFoldDue) await startSummary(core, memory, budget, size);
  const receipt = planned && makeReceipt(core, memory, budget, planned, reasonFor(size, budget, isOverLimits));
  if (planned && receipt) await commitFold(core, memory, planned, receipt, !rest);
  else await commit(core, memory);
  // The same history is sent as before, without new reminders.
  const isAnswered = memory.seen === seen && !memory.rewritten && !receipt;
  const reminder =
    rest || isAnswered ? undefined : await addReminder(core, budgetOf(core, core.memory, transient.load), signal);
  const { view, load } = core.memory;
  const fitted = {
    messages: sendable(dialect, { ...view, turns: view.turns.concat(transient.turns) }),
    metrics: fitMetrics(core.memory, budget, core.calibration, last.length),
    ...(receipt ? { receipt } : {}),
    ...(reminder ? { reminder } : {}),
    ...(view.note ? { note: addLoads(NO_LOAD, view.turns.slice(0, view.head)).messages } : {}),
  };
  return { fitted, sent: addLoads(load, [transient]) };
}

function reasonFor(size: Size, { max }: Budget, isOverLimits: boolean): Receipt['reason'] {
  if (size.messages > max.messages) return 'messages';
  if (size.tokens > max.tokens) return 'tokens';
  return isOverLimits ? 'limits' : 'strategy';
}

/** Messages at the end of one view that do not belong to the history. */
interface Transient<M> {
  readonly turns: readonly ViewTurn<M>[];
  readonly load: Load;
}

/** Reads them and checks them after the end of the view. Throws INVALID_HISTORY. */
function readTransient<M>(
  dialect: Dialect<M>,
  { view, seen }: Memory<M>,
  messages: readonly M[],
  rest: boolean | undefined,
): Transient<M> {
  if (messages.length === 0) return { turns: [], load: NO_LOAD };
  const turns = viewTurnsOf(dialect, readMessages(dialect, messages, 0, seen));
  const last = viewMessages({ turns: view.turns.slice(-1), head: 0 }).slice(-1);
  checkRules(dialect, [...last, ...messages], rest, seen - last.length);
  return { turns, load: addLoads(NO_LOAD, turns) };
}

/** The figures of the view with this many transient messages after it, which the budget accounts for. */
function fitMetrics<M>(memory: Memory<M>, budget: Budget, calibration: Calibration, transient: number): FitMetrics {
  const { load, view, seen, folds } = memory;
  const standing = load.messages - (view.note ? 1 : 0);
  const masked = view.turns.reduce(
    (sum, { cuts }) => (cuts.length === 0 ? sum : sum + new Set(cuts.map(({ at }) => at)).size),
    0,
  );
  const reminderChars = view.turns.reduce((sum, { reminder }) => sum + (reminder?.chars ?? 0), 0);
  return {
    totalMessages: seen,
    preservedMessages: load.messages + transient,
    evictedMessages: seen - standing,
    estimatedTokens: sizeOf(load, budget, calibration).tokens,
    maskedMessages: masked,
    reminderTokens: tokensOf({ ...NO_LOAD, chars: reminderChars }, calibration),
    historyTokens: budget.history.tokens,
    folds,
    max: { messages: budget.max.messages + transient, tokens: budget.max.tokens },
    estimated: calibration.last === undefined,
  };
}

/** True if the view has outgrown the hold of an undo. */
function exceedsHold(size: Size, { messages, tokens }: Partial<Size>): boolean {
  return size.messages > (messages ?? Number.POSITIVE_INFINITY) || size.tokens > (tokens ?? Number.POSITIVE_INFINITY);
}
