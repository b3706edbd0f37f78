import { randomUUID } from 'node:crypto';

/** Gives each call of an answer the id by which call and result go back: its own, where the API takes that. */
export type CallIds = (given: unknown) => string;

/**
 * Ids for the calls of one answer. One that is missing, that the API would not take back, or that another call of the
 * request or of this answer has, is replaced: servers that speak an API are not always as careful as its maker's.
 */
export function createCallIds(taken: Iterable<unknown>, allowed: RegExp): CallIds {
  const used = new Set(taken);
  return (given) => {
    const kept = typeof given === 'string' && allowed.test(given) && !used.has(given);
    const id = kept ? given : `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
    used.add(id);
    return id;
  };
}
