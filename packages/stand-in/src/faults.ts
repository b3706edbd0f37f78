import { chance } from './json.ts';

/** A failure on demand. `after`: how many events of a stream are sent first. */
export type Fault =
  /** 429, with `retry-after` in seconds. */
  | { readonly kind: 'rate-limit'; readonly retry_after?: number }
  /** 529; 503 from OpenAI's APIs. */
  | { readonly kind: 'overloaded' }
  /** 500. */
  | { readonly kind: 'server-error' }
  /** The connection is reset before any answer. */
  | { readonly kind: 'reset' }
  /** The connection is reset in the middle of the answer. */
  | { readonly kind: 'mid-reset'; readonly after?: number }
  /** The answer ends early, as if it were complete. */
  | { readonly kind: 'early-end'; readonly after?: number }
  /** `bytes` at a time with pauses in between; a stream begins with this many keep-alive comments. */
  | { readonly kind: 'slow'; readonly bytes?: number; readonly pause_ms?: number; readonly keep_alives?: number }
  /** The body is not JSON; in a stream, one event is not. */
  | { readonly kind: 'malformed'; readonly after?: number }
  /** An error event in the middle of a stream; without a stream, 500. */
  | { readonly kind: 'error-event'; readonly after?: number }
  /** 200, with an error as its body. */
  | { readonly kind: 'error-body' }
  /** The event at `at` is sent again after the event at `again`; without `at`, every event is sent twice. */
  | { readonly kind: 'repeated-event'; readonly at?: number; readonly again?: number }
  /** An event that does not end until the client disconnects. */
  | { readonly kind: 'endless-event' }
  /** Refuses a prompt that fits as too long for `limit` tokens (default: nine tenths of the prompt). */
  | { readonly kind: 'too-long'; readonly limit?: number };

/** The name of a fault. */
export type FaultKind = Fault['kind'];

/** The kinds that occur at random: a client can recover from each of them. */
export const FAULT_KINDS = [
  'rate-limit',
  'overloaded',
  'server-error',
  'reset',
  'mid-reset',
  'early-end',
  'slow',
  'malformed',
  'error-event',
  'error-body',
  'too-long',
] as const satisfies readonly FaultKind[];

/** Random faults: the same seed brings the same faults to the same requests, in order. */
export interface FaultRate {
  /** Share of the requests for an answer that fail, 0 to 1. */
  readonly rate: number;
  readonly seed?: number;
  /** All kinds if absent. */
  readonly kinds?: readonly (Fault | FaultKind)[];
}

/** Decides which request fails, and how. */
export interface FaultPlan {
  /** Queues faults; undefined lets one request through. */
  add(faults: readonly (Fault | FaultKind | undefined)[]): void;
  /** The fault for the next request: from the queue, then at random. */
  next(): Fault | undefined;
}

/** A plan with an empty queue. */
export function createFaultPlan(random?: FaultRate): FaultPlan {
  const queue: (Fault | FaultKind | undefined)[] = [];
  let round = 0;
  return {
    add: (faults) => void queue.push(...faults),
    next() {
      if (queue.length > 0) return faultOf(queue.shift());
      if (!random) return undefined;
      const { rate, seed = 0, kinds = FAULT_KINDS } = random;
      round++;
      if (chance(seed, round, 'due') >= rate) return undefined;
      return faultOf(kinds[Math.floor(chance(seed, round, 'kind') * kinds.length)]);
    },
  };
}

function faultOf(given: Fault | FaultKind | undefined): Fault | undefined {
  return typeof given === 'string' ? { kind: given } : given;
}
