import type { CrewConfig } from '../config/config.ts';
import type { CrewLimit } from '../events.ts';
import type { CrewRun } from './run.ts';

/** Why a crew stops early. */
export type StopReason = CrewLimit | 'cancelled' | 'price' | 'fault';

/** Stops all agents of a request. Only the first reason counts. */
export type Stop = ReturnType<typeof createStop>;

/** Stops at the time limit, or when the caller cancels. */
export function createStop({ limits }: CrewConfig, cancelled: AbortSignal | undefined) {
  const controller = new AbortController();
  const signal: AbortSignal = controller.signal;
  let why: StopReason | undefined;
  const now = (reason: StopReason) => {
    why ??= reason;
    controller.abort();
  };
  const cancel = () => now('cancelled');
  cancelled?.addEventListener('abort', cancel);
  if (cancelled?.aborted) cancel();
  const timer = setTimeout(now, limits.max_seconds * 1_000, 'time');
  return {
    signal,
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
  const { max_hand_offs, max_rounds, max_seconds, max_cost } = limits;
  const texts: Readonly<Record<StopReason, string>> = {
    hand_offs: `reached the limit of ${max_hand_offs} hand-offs: raise limits.max_hand_offs, or check whether agents hand over in a circle`,
    rounds: `reached the limit of ${max_rounds} rounds: raise limits.max_rounds`,
    time: `reached the limit of ${max_seconds} s: raise limits.max_seconds`,
    cost: `spent $${spent.toFixed(4)} of $${max_cost}: raise limits.max_cost`,
    price: 'limits.max_cost is set, but the price of a model is unknown: remove it, or use a model with a known price',
    cancelled: 'the request was cancelled',
    fault: 'the history could not be saved',
  };
  return texts[why];
}

/** Counts a cost, undefined if its price is unknown. The limit stops all agents. */
export function spend(run: CrewRun, cost: number | undefined): void {
  const { max_cost } = run.crew.limits;
  run.spent += cost ?? 0;
  if (max_cost === 0) return;
  if (cost === undefined) run.stop.now('price');
  else if (run.spent >= max_cost) run.stop.now('cost');
  warnNearLimit(run, 'cost', run.spent, max_cost);
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
