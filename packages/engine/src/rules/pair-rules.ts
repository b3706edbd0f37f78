import type { Violation } from '../dialect.ts';
import { PAIR_RULES } from '../turns/read-turns.ts';

/** A rule of the API that a request breaks; `message` is the API's own error text. */
export interface RequestViolation extends Violation {
  readonly message: string;
  /** The field of the request that the API names, where the place of the message does not say it. */
  readonly param?: string;
}

const { 'interrupted-call': _, 'duplicate-call-id': __, ...rules } = PAIR_RULES;

/** The pairing rules that every API has, with how to fix a violation. */
export const API_PAIR_RULES = rules;

type Id = string | undefined;

/** The calls of one message and which of them have a result. */
export interface Pairs {
  size(): number;
  /** Adds a call of message `index`. */
  open(id: Id, index: number): void;
  /** Records a result, which does not count if it is `late`. True if its call had none; undefined if there is no such call. */
  answer(id: Id, late?: boolean): boolean | undefined;
  /** Reports the calls that have no result in time, and forgets all calls. */
  close(): void;
}

/** Pairs calls and results, one message at a time. */
export function createPairs(unanswered: (index: number, ids: string) => void): Pairs {
  const calls = new Map<Id, { open: number; isAnswered: boolean }>();
  let ids: Id[] = [];
  let caller = -1;
  return {
    size: () => ids.length,
    open(id, index) {
      // Two calls may have the same id; one result is then enough.
      calls.set(id, { open: (calls.get(id)?.open ?? 0) + 1, isAnswered: false });
      ids.push(id);
      caller = index;
    },
    answer(id, late = false) {
      const call = calls.get(id);
      if (!call) return undefined;
      call.isAnswered ||= !late;
      return call.open-- > 0;
    },
    close() {
      const open = ids.filter((id) => !calls.get(id)?.isAnswered);
      if (open.length > 0) unanswered(caller, open.join(', '));
      if (ids.length > 0) ids = [];
      calls.clear();
    },
  };
}
