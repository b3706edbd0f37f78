import type { ExecutionOptions } from '../providers/provider.ts';

/** When an execution must end. */
export interface Deadline {
  /** Aborted by the caller, or when the time is up. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970; Infinity if there is none. */
  readonly deadline: number;
  /** Clears the timer. */
  done(): void;
}

/** The longest delay of a timer; a longer one fires immediately. */
export const LONGEST_MS = 2 ** 31 - 1;

/** The deadline of an execution that starts now. Limits longer than any timer are ignored. */
export function createDeadline({
  signal,
  time_limit_ms: limit = Number.POSITIVE_INFINITY,
}: ExecutionOptions): Deadline {
  const own = new AbortController();
  const late = () => own.abort(new DOMException('the time limit was reached', 'TimeoutError'));
  const timer = limit <= LONGEST_MS ? setTimeout(late, limit) : undefined;
  return {
    signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
    deadline: Date.now() + limit,
    done: () => clearTimeout(timer),
  };
}

/** Resolves to what `waited` does, or to `instead` if the signal is aborted first. */
export async function untilAborted<T, U = T>(waited: Promise<T>, signal: AbortSignal, instead: U): Promise<T | U> {
  let stop = () => {};
  const stopped = new Promise<U>((resolve) => {
    stop = () => resolve(instead);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([waited, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
