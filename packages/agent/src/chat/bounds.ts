import type { ExecutionOptions, ExecutionResult } from '../providers/provider.ts';
import { counted } from '../tools/files/text.ts';

/** What a chat may use before it stops and says so; 0 or undefined: no limit. */
export interface ChatBounds {
  /** Dollars. */
  readonly max_cost?: number;
  /** Minutes of answering, without the time spent waiting for the user. */
  readonly max_minutes?: number;
  /** Requests for one prompt. */
  readonly max_rounds?: number;
}

/** Keeps a chat within its limits. After a limit was reported, the next prompt starts with a full budget. */
export interface Bounds {
  /** The result of a prompt when nothing is left; undefined if it may be sent. */
  spent(): ExecutionResult | undefined;
  /** Runs a prompt within what is left. */
  run(
    signal: AbortSignal | undefined,
    execute: (options: Pick<ExecutionOptions, 'signal' | 'max_requests' | 'max_cost'>) => Promise<ExecutionResult>,
  ): Promise<ExecutionResult>;
  /** Stops the clock during `doing`. */
  waiting<T>(doing: () => Promise<T>): Promise<T>;
}

/** The limits of a new chat. */
export function createBounds({ max_cost = 0, max_minutes = 0, max_rounds = 0 }: ChatBounds = {}): Bounds {
  const allMs = max_minutes * 60_000;
  let cost = 0;
  let elapsed = 0;
  let since: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let late = () => {};
  const stopClock = () => {
    clearTimeout(timer);
    if (since !== undefined) elapsed += performance.now() - since;
    since = undefined;
  };
  const startClock = () => {
    since = performance.now();
    if (allMs > 0) timer = setTimeout(() => late(), Math.max(0, allMs - elapsed)).unref();
  };
  const reasons = {
    cost: () => `$${cost.toFixed(4)} of $${max_cost} spent (execution.max_cost)`,
    time: () => `the answers took ${counted(max_minutes, 'minute')} (execution.max_minutes)`,
    requests: () => `stopped after ${counted(max_rounds, 'round')} (execution.max_rounds)`,
  };
  /** Reports the limit that ended it, and starts over. */
  const told = (budget: keyof typeof reasons, result: ExecutionResult): ExecutionResult => {
    const error = reasons[budget]();
    [cost, elapsed] = [0, 0];
    return { ...result, success: false, error, errorCategory: 'timeout', budget };
  };
  return {
    spent() {
      const nothing = { success: false, output: '', filesChanged: [], iterationComplete: false };
      if (max_cost > 0 && cost >= max_cost) return told('cost', nothing);
      return allMs > 0 && elapsed >= allMs ? told('time', nothing) : undefined;
    },
    async run(signal, execute) {
      const own = new AbortController();
      late = () => own.abort();
      startClock();
      const result = await execute({
        signal: signal ? AbortSignal.any([signal, own.signal]) : own.signal,
        ...(max_rounds > 0 ? { max_requests: max_rounds } : {}),
        ...(max_cost > 0 ? { max_cost: max_cost - cost } : {}),
      }).finally(stopClock);
      cost += result.cost?.spent ?? 0;
      if (result.budget) return told(result.budget, result);
      return own.signal.aborted && result.errorCategory === 'cancelled' ? told('time', result) : result;
    },
    async waiting(doing) {
      const isRunning = since !== undefined;
      stopClock();
      return doing().finally(() => {
        if (isRunning) startClock();
      });
    },
  };
}
