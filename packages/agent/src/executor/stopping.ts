/** Why a run ends before its task does. */
export type Stop = 'cancelled' | 'time' | 'cost' | 'disk';

/** Somebody's or something's wish that a run end. */
export interface Stopping {
  /** Aborted when everything is to end. */
  readonly signal: AbortSignal;
  readonly wish: Stop | undefined;
  now(why: Stop): void;
  /** Says that the step under way is over: a wish to stop after it is granted. */
  stepEnded(): void;
  close(): void;
}

/** What a run may be stopped by. */
export interface StoppingSetup {
  readonly signal: AbortSignal | undefined;
  readonly stop: AbortSignal | undefined;
  /** Milliseconds that are left; Infinity if there is no limit. */
  readonly left_ms: number;
  /** True while a step is under way that should not be cut off. */
  readonly isInStep: () => boolean;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** Listens to all that may stop a run. The first wish is the reason. */
export function createStopping({ signal, stop, left_ms, isInStep }: StoppingSetup): Stopping {
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
  const timer = left_ms <= LONGEST_TIMER ? setTimeout(() => soon('time'), Math.max(0, left_ms)) : undefined;
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
