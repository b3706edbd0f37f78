import type { Memory } from '../history/memory.ts';
import type { Budget, Size } from '../size/budget.ts';
import type { Calibration } from '../size/tokens.ts';
import { sizeOf } from '../view/view.ts';

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
  /** The size of the whole history, including the reserve. */
  readonly historyTokens: number;
  readonly folds: number;
  /** The bounds of the view; Infinity means no bound. */
  readonly max: Size;
  /** True before the first observation: show the figure with a `~`. */
  readonly estimated: boolean;
}

/** The figures of the view with this many transient messages after it, which the budget accounts for. */
export function fitMetrics<M>(
  memory: Memory<M>,
  budget: Budget,
  calibration: Calibration,
  transient: number,
): FitMetrics {
  const { load, view, seen, folds } = memory;
  const standing = load.messages - (view.note ? 1 : 0);
  const masked = view.turns.reduce(
    (sum, { cuts }) => (cuts.length === 0 ? sum : sum + new Set(cuts.map(({ at }) => at)).size),
    0,
  );
  return {
    totalMessages: seen,
    preservedMessages: load.messages + transient,
    evictedMessages: seen - standing,
    estimatedTokens: sizeOf(load, budget, calibration).tokens,
    maskedMessages: masked,
    historyTokens: budget.history.tokens,
    folds,
    max: { messages: budget.max.messages + transient, tokens: budget.max.tokens },
    estimated: calibration.last === undefined,
  };
}
