import type { CrewConfig } from '../config/config.ts';
import type { CrewLimit } from '../events.ts';
import type { CrewRun } from './run.ts';

/** Why a crew stops early. */
export type StopReason = CrewLimit | 'cancelled' | 'price' | 'fault';

/** Stops all agents of a request. Only the first reason counts. */
export interface Stop {
  readonly signal: AbortSignal;
  readonly why: StopReason | undefined;
  now(why: StopReason): void;
  close(): void;
}

/** Stops at the time limit, or when the caller cancels. */
export function createStop({ limits }: CrewConfig, cancelled: AbortSignal | undefined): Stop {
  const controller = new AbortController();
  let why: StopReason | undefined;
  const now = (reason: StopReason) => {
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

/** The reason in words, with advice. Pure. */
export function stopText(why: StopReason, { limits }: CrewConfig, spent: number): string {
  switch (why) {
    case 'hand_offs':
      return `reached the limit of ${limits.max_hand_offs} hand-offs: raise limits.max_hand_offs, or check whether agents hand over in a circle`;
    case 'rounds':
      return `reached the limit of ${limits.max_rounds} rounds: raise limits.max_rounds`;
    case 'time':
      return `reached the limit of ${limits.max_seconds} s: raise limits.max_seconds`;
    case 'cost':
      return `spent $${spent.toFixed(4)} of $${limits.max_cost}: raise limits.max_cost`;
    case 'price':
      return 'limits.max_cost is set, but the price of a model is unknown: remove it, or use a model with a known price';
    case 'cancelled':
      return 'the request was cancelled';
    case 'fault':
      return 'the history could not be saved';
  }
}

/** Warns once per request when four fifths of a limit are used. */
export function warnNearLimit(
  run: CrewRun,
  what: 'history' | 'context' | 'cost',
  used: number,
  of: number,
  agent?: string,
): void {
  const key = `${what} ${agent ?? ''}`;
  if (used < 0.8 * of || run.near.has(key)) return;
  run.near.add(key);
  const [used4, of4] = [used, of].map((value) => Math.round(value * 10_000) / 10_000);
  run.logger.warn(`near the limit: ${what}${agent === undefined ? '' : ` of ${agent}`}, ${used4} of ${of4}`);
  run.emit({ type: 'limit-near', what, used, of, ...(agent === undefined ? {} : { agent }) });
}
