import { LONGEST_MS } from '../loop/deadline.ts';

/** Why a run ends before its task does. */
export type Stop = 'cancelled' | 'time' | 'cost' | 'disk';

/** Requests to end a run. */
export interface Stopping {
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  readonly wish: Stop | undefined;
  now(why: Stop): void;
  /** Call when a step ends: stops the run if that was requested during the step. */
  stepEnded(): void;
  close(): void;
}

/** What can stop a run. */
export interface StoppingSetup {
  readonly signal: AbortSignal | undefined;
  readonly stop: AbortSignal | undefined;
  /** Milliseconds left; Infinity without a limit. */
  readonly leftMs: number;
  /** True during a step that should finish first. */
  readonly isInStep: () => boolean;
}

/** Listens to everything that can stop a run. The first request is the reason. */
export function createStopping({ signal, stop, leftMs, isInStep }: StoppingSetup): Stopping {
  const controller = new AbortController();
  let wish: Stop | undefined;
  const now = (why: Stop) => {
    wish ??= why;
    controller.abort();
  };
  const soon = (why: Stop) => {
    if (!isInStep()) now(why);
    else wish ??= why;
  };
  const cancelNow = () => now('cancelled');
  const cancelSoon = () => soon('cancelled');
  signal?.addEventListener('abort', cancelNow);
  stop?.addEventListener('abort', cancelSoon);
  if (signal?.aborted) cancelNow();
  else if (stop?.aborted) cancelSoon();
  const timer = leftMs <= LONGEST_MS ? setTimeout(() => soon('time'), Math.max(0, leftMs)) : undefined;
  return {
    signal: controller.signal,
    get wish() {
      return wish;
    },
    now,
    stepEnded() {
      if (wish) controller.abort();
    },
    close() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancelNow);
      stop?.removeEventListener('abort', cancelSoon);
    },
  };
}
