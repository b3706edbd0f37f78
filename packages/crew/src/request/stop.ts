import type { CrewConfig } from '../config/config.ts';
import type { CrewLimit } from '../events.ts';

/** Why a crew stops before its end. */
export type Why = CrewLimit | 'cancelled' | 'price' | 'fault';

/** The one switch that stops all agents of a request. The first reason counts. */
export interface Stop {
  readonly signal: AbortSignal;
  readonly why: Why | undefined;
  now(why: Why): void;
  close(): void;
}

/** Stops at the time limit, and when the caller says so. */
export function createStop({ limits }: CrewConfig, cancelled: AbortSignal | undefined): Stop {
  const controller = new AbortController();
  let why: Why | undefined;
  const now = (reason: Why) => {
    why ??= reason;
    controller.abort();
  };
  const cancel = () => now('cancelled');
  cancelled?.addEventListener('abort', cancel);
  if (cancelled?.aborted) cancel();
  const timer = setTimeout(() => now('time'), limits.max_seconds * 1_000);
  return {
    signal: controller.signal,
    get why() {
      return why;
    },
    now,
    close() {
      clearTimeout(timer);
      cancelled?.removeEventListener('abort', cancel);
    },
  };
}

/** What to say of it. Pure. */
export function reasonFor(why: Why, { limits }: CrewConfig, spent: number | undefined): string {
  switch (why) {
    case 'hand_offs':
      return `${limits.max_hand_offs} hand-offs are made: raise limits.max_hand_offs, or see why agents hand over in a circle`;
    case 'rounds':
      return `${limits.max_rounds} rounds are over: raise limits.max_rounds`;
    case 'time':
      return `${limits.max_seconds} s are over: raise limits.max_seconds`;
    case 'cost':
      return `$${(spent ?? 0).toFixed(4)} of $${limits.max_cost} are spent: raise limits.max_cost`;
    case 'price':
      return 'limits.max_cost is set, and the price of a model is not known: leave it out, or use a model whose price is known';
    case 'cancelled':
      return 'the request was cancelled';
    case 'fault':
      return 'what was said could not be kept';
  }
}
