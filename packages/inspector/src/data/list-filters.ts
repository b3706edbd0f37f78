import type { Kind, SessionRow } from '../api/types.ts';

/** Which sessions a list has; all of them without a filter. */
export interface ListFilters {
  readonly kind?: Kind;
  readonly model?: string;
  /** At least so many dollars. */
  readonly cost?: number;
  /** At least so many folds. */
  readonly folds?: number;
  /** Active in the last so many days. */
  readonly days?: number;
}

const DAY_MS = 86_400_000;

/** True if a session passes all filters at a time. Pure. */
export function passes(
  row: Pick<SessionRow, 'kind' | 'cost' | 'folds' | 'updated'> & Pick<Partial<SessionRow>, 'model'>,
  { kind, model, cost = 0, folds = 0, days }: ListFilters,
  now: number,
): boolean {
  return (
    (kind === undefined || row.kind === kind) &&
    (model === undefined || row.model === model) &&
    row.cost >= cost &&
    row.folds >= folds &&
    (days === undefined || row.updated >= now - days * DAY_MS)
  );
}
