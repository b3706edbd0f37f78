import { createHash } from 'node:crypto';

/** A parsed JSON object of unknown shape. */
export type Json = Readonly<Record<string, unknown>>;

/** True for a plain object. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects in a list; empty for anything else. */
export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

/** The string itself; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The most levels of a request. With a few thousand, writing it would overflow the stack. */
const MOST_LEVELS = 400;

/** True for a value with more levels than any request may have. Pure. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1));
}

/** The value of JSON text; the text itself if it is not JSON, or nested too deeply. */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}

/** JSON text with sorted keys, without those in `without`. Pure. */
export function canonical(value: unknown, without: readonly string[] = []): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (!isJson(item)) return item;
    const fields = Object.entries(item).filter(([key]) => !without.includes(key));
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** 24 hex digits of a text's SHA-256. */
export function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex').slice(0, 24);
}

/** A number from 0 to 1, the same for the same seed and round. */
export function chance(seed: number, round: number, salt: string): number {
  return Number.parseInt(hashOf(`${seed}`, `${round}`, salt).slice(0, 8), 16) / 2 ** 32;
}
