import { isHoldfastError } from 'holdfast';
import type { SessionEntry, WireMessage } from '../entry.ts';
import type { SessionStore } from '../store.ts';

/**
 * Opens the store under test. The same place means the same data, even while another store is open there; a place that was never
 * named before is empty. Places consist of lowercase letters, digits and `_`.
 */
export type OpenStore = (place: string) => Promise<SessionStore>;

/** A demand gets its own store, and can open others on the same data. */
export interface Bench {
  readonly store: SessionStore;
  another(): Promise<SessionStore>;
}

/** A requirement for stores. `check` yields each problem; nothing if the store meets it. */
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

/** The code and details of the HoldfastError that the work throws, or whatever happened instead. */
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

/** How a value differs from the expected one; undefined if it does not. */
export function differs(what: string, actual: unknown, wanted: unknown): string | undefined {
  const [is, should] = [show(actual), show(wanted)];
  return JSON.stringify(actual) === JSON.stringify(wanted) ? undefined : `${what}: ${is}, not ${should}`;
}

/** Yields each difference. */
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
