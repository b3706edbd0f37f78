import { callFacts } from '../calls/call-facts.ts';
import { contentText } from '../content/text.ts';
import type { Call, Dialect, Reading, Result } from '../dialect.ts';
import { sameValue } from '../json/same-value.ts';

/** A copy that shares nothing with the value. */
export function jsonClone<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The value's JSON, short enough for a line. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 160 ? `${text.slice(0, 120)} … ${text.slice(-30)}` : text;
}

/** Several messages read as one, because a fixture may need more than one. */
export function readAll<M>(dialect: Dialect<M>, messages: readonly M[]) {
  const readings = messages.map((message) => dialect.read(message));
  const sum = (count: (reading: Reading) => number) => readings.reduce((total, reading) => total + count(reading), 0);
  return {
    roles: [...new Set(readings.map(({ role }) => role))],
    calls: readings.flatMap(({ calls }) => calls),
    results: readings.flatMap(({ results }) => results),
    words: readings.some(({ words }) => words),
    thinking: readings.some(({ thinking }) => thinking),
    markers: sum(({ markers }) => markers),
    chars: sum(({ chars }) => chars),
    media: sum(({ media }) => media),
  };
}

/** The text of several messages, skipping those without any. */
export function textOfAll<M>(dialect: Dialect<M>, messages: readonly M[]): string {
  return messages
    .filter((message) => dialect.read(message).words)
    .map((message) => dialect.text(message))
    .join('\n');
}

/** How the calls differ from those expected; undefined if they do not. */
export function callsDiffer(calls: readonly Call[], wanted: readonly Call[]): string | undefined {
  const plain = (list: readonly Call[]) =>
    list.map((call) => ({ id: call.id, name: call.name, input: callFacts(call).input }));
  return differ(plain(calls), plain(wanted), 'calls');
}

/** How ids and contents of results differ from those expected; undefined if they do not. */
export function resultsDiffer(
  results: readonly Result[],
  wanted: readonly { readonly id: string; readonly content: unknown }[],
): string | undefined {
  const odd = results.find(({ content }) => typeof content !== 'string' && !Array.isArray(content));
  if (odd)
    return `the content of result ${odd.id} reads ${show(odd.content)}, which is neither text nor a list of blocks`;
  const plain = (list: readonly { readonly id: string; readonly content: unknown }[]) =>
    list.map(({ id, content }) => ({ id, content: contentText(content) }));
  return differ(plain(results), plain(wanted), 'results');
}

function differ(actual: readonly unknown[], wanted: readonly unknown[], what: string): string | undefined {
  if (actual.length !== wanted.length)
    return `${actual.length} ${what} read, ${wanted.length} are there: ${show(actual)}`;
  const at = actual.findIndex((one, i) => !sameValue(one, wanted[i]));
  return at < 0 ? undefined : `${what} at ${at}: ${show(actual[at])}, not ${show(wanted[at])}`;
}

/** Strings and numbers in one value that are missing from another, each as often as it is missing. */
export function lostLeaves(before: unknown, after: unknown): string[] {
  const left = new Map<string, number>();
  for (const leaf of leavesOf(after)) left.set(leaf, (left.get(leaf) ?? 0) + 1);
  return leavesOf(before).filter((leaf) => {
    const count = left.get(leaf) ?? 0;
    left.set(leaf, count - 1);
    return count <= 0;
  });
}

function leavesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null ? [] : [String(value)];
  return Object.values(value).flatMap(leavesOf);
}
