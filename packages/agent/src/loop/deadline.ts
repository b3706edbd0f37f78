import type { ExecutionOptions } from '../providers/provider.ts';

/** When an execution must end. */
export interface Deadline {
  /** Aborted when the caller says so, or the time is over. */
  readonly signal: AbortSignal;
  /** In milliseconds since 1970; Infinity if there is none. */
  readonly deadline: number;
  /** Lets go of the timer. */
  done(): void;
}

/** The longest time that a timer takes: above it, it is over at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** The end of an execution that begins now. A time that no timer can wait for ends nothing. */
export function createDeadline({
  signal,
  time_limit_ms: limit = Number.POSITIVE_INFINITY,
}: ExecutionOptions): Deadline {
  const own = new AbortController();
  const late = () => own.abort(new DOMException('the time is over', 'TimeoutError'));
  const timer = limit <= LONGEST_MS ? setTimeout(late, limit) : undefined;
  return {
    signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
    deadline: Date.now() + limit,
    done: () => clearTimeout(timer),
  };
}

/** What is waited for, or `instead` if the signal comes first. Never throws if `waited` does not. */
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
