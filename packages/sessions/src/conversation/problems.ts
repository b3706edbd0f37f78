import { HoldfastError, isHoldfastError } from 'holdfast';

/** True for a write that others were faster than. Pure. */
export function isConflict(error: unknown): boolean {
  return isHoldfastError(error) && error.code === 'STORE_CONFLICT';
}

/** The error of a store, as one of ours. Pure. */
export function storeProblem(error: unknown): HoldfastError {
  if (isHoldfastError(error)) return error;
  return new HoldfastError('BAD_STORE', `cannot keep the conversation: ${String(error)}`);
}
