import { DEPTH, tooDeep } from '../json/depth.ts';

/** Length of the value's JSON text, without escapes and without building it. Throws RangeError or TypeError if it is not JSON. */
export function jsonChars(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'bigint') throw new TypeError(`${value}n is not JSON`);
    return value === undefined ? 0 : String(value).length;
  }
  if (depth > DEPTH) throw tooDeep();
  let chars = 2;
  if (Array.isArray(value)) {
    for (const item of value) chars += jsonChars(item, depth + 1) + 1;
    return chars;
  }
  for (const key in value) chars += key.length + 4 + jsonChars((value as Record<string, unknown>)[key], depth + 1);
  return chars;
}
