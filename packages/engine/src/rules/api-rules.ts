import type { Violation as MessageViolation } from '../dialect.ts';
import { PAIR_RULES } from '../turns/read-turns.ts';

/** A rule of the API that a request breaks; `message` is the API's own error text. */
export interface Violation extends MessageViolation {
  readonly message: string;
}

const { 'interrupted-call': _, 'duplicate-call-id': __, ...rules } = PAIR_RULES;

/** The pairing rules that every API has, with how to fix a violation. */
export const API_PAIR_RULES = rules;

type Id = string | undefined;

/** Whether a call has no result, has one, or has one that came too late to count. */
type CallState = 'open' | 'done' | 'late';

/** The calls of one message and which of them have a result. */
export interface Pairs {
  size(): number;
  /** Adds a call of message `index`. */
  open(id: Id, index: number): void;
  /** Records a result. Returns the previous state of its call; undefined if there is no such call. */
  answer(id: Id, late?: boolean): CallState | undefined;
  /** Reports the calls that have no result in time, and forgets all calls. */
  close(): void;
}

/** Pairs calls and results, one message at a time. Results in the order of their calls cost no allocation, others a map. */
export function createPairs(unanswered: (index: number, ids: string) => void): Pairs {
  const ids: Id[] = [];
  let count = 0;
  let done = 0;
  let caller = -1;
  let states: Map<Id, CallState> | undefined;

  function listStates(): Map<Id, CallState> {
    const list = new Map<Id, CallState>();
    // Backwards, so that the answered one of two calls with the same id counts.
    for (let at = count; at-- > 0; ) list.set(ids[at], at < done ? 'done' : 'open');
    return list;
  }

  return {
    size: () => count,
    open(id, index) {
      ids[count++] = id;
      caller = index;
    },
    answer(id, late) {
      if (!late && !states && done < count && ids[done] === id) {
        done++;
        return 'open';
      }
      states ??= listStates();
      const state = states.get(id);
      if (state === 'open') {
        states.set(id, late ? 'late' : 'done');
        if (!late) done++;
      }
      return state;
    },
    close() {
      if (done < count) {
        const list = states ?? listStates();
        const open = ids.slice(0, count).filter((id) => list.get(id) !== 'done');
        if (open.length > 0) unanswered(caller, open.join(', '));
      }
      count = 0;
      done = 0;
      states = undefined;
    },
  };
}
