import { jsonCopy, jsonForm } from './plain.ts';

/** Deep equality of wire values in their JSON form, whatever the order of keys. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  const a = jsonForm(one);
  const b = jsonForm(other);
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item ?? null, b[i] ?? null));
  if (Array.isArray(b)) return false;
  const left = definedKeys(a);
  return left.length === definedKeys(b).length && left.every((key) => sameValue(at(a, key), at(b, key)));
}

/** The keys that JSON keeps. */
export function definedKeys(value: object): string[] {
  return Object.keys(value).filter((key) => at(value, key) !== undefined);
}

function at(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}

/** A 64-bit hash of a wire value as 16 hex digits, whatever the order of keys. Not for security. */
export function hashValue(value: unknown): string {
  let high = 0x9747b28c;
  let low = 0x85ebca6b;
  const text = canonical(value);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 13);
    low = Math.imul(low ^ code, 0x5bd1e995) ^ (high >>> 15);
  }
  return hex(high) + hex(low);
}

/** JSON text with sorted keys; empty for a value that is circular or nested too deep. */
function canonical(value: unknown): string {
  try {
    return JSON.stringify(jsonCopy(value, true)) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
