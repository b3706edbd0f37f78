import { chance } from '../json.ts';
import { FAULT_KINDS, type Fault, type FaultKind } from './fault.ts';

/** Faults that come by chance: the same seed brings the same ones to the same requests, in their order. */
export interface FaultRate {
  /** Share of the requests for an answer that fail, 0 to 1. */
  readonly rate: number;
  readonly seed?: number;
  /** All kinds if absent. */
  readonly kinds?: readonly (Fault | FaultKind)[];
}

/** Which request fails, and how. */
export interface FaultPlan {
  /** Puts faults in the queue; undefined lets one request through. */
  add(faults: readonly (Fault | FaultKind | undefined)[]): void;
  /** The fault for the next request: from the queue, then by chance. */
  next(): Fault | undefined;
}

/** A plan with an empty queue. */
export function createFaultPlan(random?: FaultRate): FaultPlan {
  const queue: (Fault | FaultKind | undefined)[] = [];
  let round = 0;
  return {
    add: (faults) => void queue.push(...faults),
    next() {
      if (queue.length > 0) return fault(queue.shift());
      if (!random) return undefined;
      const { rate, seed = 0, kinds = FAULT_KINDS } = random;
      round++;
      if (chance(seed, round, 'due') >= rate) return undefined;
      return fault(kinds[Math.floor(chance(seed, round, 'kind') * kinds.length)]);
    },
  };
}

function fault(given: Fault | FaultKind | undefined): Fault | undefined {
  return typeof given === 'string' ? { kind: given } : given;
}
