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
export type Pairs = ReturnType<typeof createPairs>;

/** Pairs calls and results, one message at a time. */
export function createPairs(unanswered: (index: number, ids: string) => void) {
  const calls = new Map<Id, { open: number; isAnswered: boolean }>();
  let ids: Id[] = [];
  let caller = -1;
  return {
    size: () => ids.length,
    /** Adds a call of message `index`. Two calls may have the same id; one result is then enough. */
    open(id: Id, index: number): void {
      calls.set(id, { open: (calls.get(id)?.open ?? 0) + 1, isAnswered: false });
      ids.push(id);
      caller = index;
    },
    /** Records a result, which does not count if it is `late`. True if its call had none; undefined if there is no such call. */
    answer(id: Id, late = false): boolean | undefined {
      const call = calls.get(id);
      if (!call) return undefined;
      call.isAnswered ||= !late;
      return call.open-- > 0;
    },
    /** Reports the calls that have no result in time, and forgets all calls. */
    close(): void {
      const open = ids.filter((id) => !calls.get(id)?.isAnswered);
      if (open.length > 0) unanswered(caller, open.join(', '));
      if (ids.length > 0) ids = [];
      calls.clear();
    },
  };
}
