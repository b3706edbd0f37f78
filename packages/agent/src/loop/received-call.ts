import { randomUUID } from 'node:crypto';
import { isTooDeep } from '@holdfast/sessions/foreign';
import type { ApiCall } from './api.ts';
import { parsedInput } from './stream.ts';

/** How much of invalid arguments the model is shown. */
const SHOWN_CHARS = 200;
/** Names that any server may have given to a tool. */
const NAME = /^[\w.:/-]{1,128}$/;

/**
 * A call in a form that can be sent back, with what was wrong with it. `given`: its arguments, as JSON or an object. Pure
 * except for the ids.
 */
export function receivedCall(ids: CallIds, id: unknown, name: unknown, given: unknown): ApiCall {
  const parsed = typeof given === 'string' ? parsedInput(given) : isTooDeep(given) ? undefined : given;
  const called = { id: ids(id), name: nameOf(name) };
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    const text = typeof given === 'string' ? given : (JSON.stringify(parsed) ?? '');
    return { ...called, input: {}, broken: true, beginning: text.slice(0, SHOWN_CHARS).toWellFormed() };
  }
  const found = { halves: false };
  const text = typeof given === 'string' ? given : JSON.stringify(parsed);
  const input = HALVES.test(text) ? whole(parsed, found) : parsed;
  return { ...called, input, ...(found.halves ? { mended: true } : {}) };
}

/** Tells new calls of an answer from repeated ones, which have the same id, name and arguments. */
export function createRepeatCheck(): (id: unknown, name: unknown, given: unknown) => boolean {
  const seen = new Set<string>();
  return (id, name, given) => {
    if (typeof id !== 'string' || id === '') return true;
    const size = seen.size;
    return seen.add(JSON.stringify([id, name, given])).size > size;
  };
}

/** Half of a surrogate pair, raw or escaped in JSON. */
const HALVES = /\\ud[89a-f]|\p{Surrogate}/iu;

function nameOf(name: unknown): string {
  const given = String(name ?? '');
  return NAME.test(given) ? given : given.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
}

/** A copy with a replacement for each half of a surrogate pair. */
function whole(value: unknown, found: { halves: boolean }): unknown {
  if (typeof value === 'string') {
    const text = value.toWellFormed();
    found.halves ||= text !== value;
    return text;
  }
  if (Array.isArray(value)) return value.map((one) => whole(one, found));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [String(whole(key, found)), whole(one, found)]));
}

/** The arguments of a call as JSON to send back: unchanged if possible. Pure. */
export function argumentsOf({ input, broken, mended }: ApiCall, json: string): string {
  return broken || mended || json.trim() === '' ? JSON.stringify(input) : json;
}

/** Returns the id with which a call and its result are sent back: its own, if the API accepts it. */
export type CallIds = (given: unknown) => string;

/** Ids for the calls of one answer: replaces those that are missing, invalid or already used, as some servers send them. */
export function createCallIds(taken: Iterable<unknown>, allowed: RegExp): CallIds {
  const used = new Set(taken);
  return (given) => {
    const kept = typeof given === 'string' && allowed.test(given) && !used.has(given);
    const id = kept ? given : `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
    used.add(id);
    return id;
  };
}
