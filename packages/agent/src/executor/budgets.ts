import type { ExecutionConfig } from '../config/config.ts';
import { counted } from '../tools/files/text.ts';
import type { SavedRun } from './run-log.ts';
import type { ExecutorResult } from './state.ts';

/** The budget that ran out, and what to do. */
export type Over = Pick<ExecutorResult, 'budget' | 'reason'>;

/** True if max_cost is spent. Pure. */
export function isTooDear({ totals }: SavedRun, { max_cost }: ExecutionConfig): boolean {
  return max_cost > 0 && (totals.cost?.spent ?? 0) >= max_cost;
}

/** The budget that ran out before the next step; undefined if none did. Pure. */
export function outOf(run: SavedRun, execution: ExecutionConfig): Over | undefined {
  const { max_minutes, max_iterations } = execution;
  if (max_minutes > 0 && run.totals.elapsedMs >= max_minutes * 60_000) return overBudget('time', run, execution);
  if (isTooDear(run, execution)) return overBudget('cost', run, execution);
  if (run.stage === 'ended' || run.iteration <= max_iterations) return undefined;
  const reason = `the task is not complete after ${counted(max_iterations, 'iteration')}: raise execution.max_iterations and resume`;
  return { budget: 'iterations', reason };
}

/** The message for time or money that ran out. Pure. */
export function overBudget(what: 'time' | 'cost', { totals }: SavedRun, execution: ExecutionConfig): Over {
  const { max_minutes, max_cost } = execution;
  const reason =
    what === 'time'
      ? `${max_minutes} minutes are used up: raise execution.max_minutes and resume`
      : `$${(totals.cost?.spent ?? 0).toFixed(4)} of $${max_cost} is spent: raise execution.max_cost and resume`;
  return { budget: what, reason };
}
