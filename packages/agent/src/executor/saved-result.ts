import type { SavedRun } from './run-log.ts';
import type { ExecutorResult, RunStatus } from './state.ts';
import { cacheShareOf } from './totals.ts';

/** A saved run as a result to show; a running one says so. Pure. */
export function resultOf(
  session: string,
  run: SavedRun,
): Omit<ExecutorResult, 'status'> & { readonly status: RunStatus } {
  const { filesChanged, ...totals } = run.totals;
  return {
    ...totals,
    status: run.status,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    iteration: run.iteration,
    maxIterations: 0,
    phase: 'ended',
    cacheShare: cacheShareOf(totals.tokenUsage),
    summary: run.outcome?.text ?? '',
    filesChanged,
    validation: run.validation,
    unchecked: [],
    session,
  };
}
