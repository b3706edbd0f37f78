import { PAIR_RULES } from '../history/turns.ts';

const { 'interrupted-call': _, 'duplicate-call-id': __, ...rules } = PAIR_RULES;

/** The rules of pairing that every API states, with what to do when one is broken. */
export const API_PAIR_RULES = rules;

type Id = string | undefined;

/** How a call stands: without a result, with one, or with one that came where it does not count. */
export type CallState = 'open' | 'done' | 'late';

/** The calls of one message and which of them have a result. */
export interface Pairs {
  /** How many calls there are. */
  size(): number;
  /** Adds a call that stands in message `index`. */
  open(id: Id, index: number): void;
  /** Notes a result. Returns how its call stood before; undefined if there is none. */
  answer(id: Id, late?: boolean): CallState | undefined;
  /** Reports the calls that have no result in time, and forgets all. */
  close(): void;
}

/** Pairs for one message after the other. Results in the order of their calls cost no allocation, any others a map. */
export function createPairs(unanswered: (index: number, ids: string) => void): Pairs {
  const ids: Id[] = [];
  let count = 0;
  let done = 0;
  let caller = -1;
  let states: Map<Id, CallState> | undefined;

  function listStates(): Map<Id, CallState> {
    const list = new Map<Id, CallState>();
    // Backwards, so that of two calls with one id the answered one counts.
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
