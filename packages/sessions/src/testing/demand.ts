import { isHoldfastError } from 'holdfast';
import type { SessionEntry, WireMessage } from '../entry.ts';
import type { SessionStore } from '../store.ts';

/**
 * Opens the store that is tested. The same place is the same data, also while another is open there; a place that was never
 * named before is empty. Places are made of small letters, digits and `_`.
 */
export type OpenStore = (place: string) => Promise<SessionStore>;

/** What a demand is checked on: a store of its own, and others on the same data. */
export interface Bench {
  readonly store: SessionStore;
  another(): Promise<SessionStore>;
}

/** One thing that is asked of a store. `check` yields what is wrong; nothing if it is met. */
export interface StoreDemand {
  readonly name: string;
  /** What to change in the store. */
  readonly fix: string;
  check(bench: Bench): AsyncIterable<string>;
}

export function message(text: string, role = 'user'): { type: 'message'; message: WireMessage } {
  return { type: 'message', message: { role, content: text } };
}

/** A session with these entries. */
export async function sessionOf(store: SessionStore, entries: readonly SessionEntry[]): Promise<string> {
  const { id } = await store.create();
  await store.append(id, entries, 0);
  return id;
}

/** The code of the HoldfastError that the work throws, its details, or what came instead. */
export async function refusal(
  work: Promise<unknown>,
): Promise<{ readonly code: string; readonly details: Readonly<Record<string, unknown>>; readonly message: string }> {
  try {
    await work;
    return { code: 'no error', details: {}, message: '' };
  } catch (error) {
    if (isHoldfastError(error)) return error;
    return { code: String(error), details: {}, message: '' };
  }
}

/** How a value differs from what is wanted; undefined if it does not. */
export function differs(what: string, actual: unknown, wanted: unknown): string | undefined {
  const [is, should] = [show(actual), show(wanted)];
  return JSON.stringify(actual) === JSON.stringify(wanted) ? undefined : `${what}: ${is}, not ${should}`;
}

/** Yields what differs. */
export function* expectSame(...checks: readonly (readonly [string, unknown, unknown])[]): Generator<string> {
  for (const [what, actual, wanted] of checks) {
    const problem = differs(what, actual, wanted);
    if (problem !== undefined) yield problem;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 160 ? `${text.slice(0, 120)} … ${text.slice(-30)}` : text;
}
