import { base64 } from './base64.ts';
import { isRecord } from './record.ts';

/** The JSON form of this value, not of those inside it: bytes as base64, a URL as text, null for NaN and Infinity. Pure. */
export function jsonForm(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null; // the sum is never -0
  if (typeof value !== 'object' || value === null) return value;
  const bytes = bytesOf(value);
  if (bytes) return base64(bytes);
  return 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
}

/** The bytes of a buffer or of a view of one; undefined for anything else. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

/** A copy as plain JSON. Pure. */
export function plainJson(value: unknown): unknown {
  return jsonCopy(value, false);
}

/** A deeply frozen copy; the value itself if it is frozen. Pure. */
export function frozen<T>(value: T): T {
  return Object.isFrozen(value) ? value : (jsonCopy(value, false, Object.freeze) as T);
}

/** Freezes the value itself, deeply. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in Object.freeze(value)) freeze(value[key]);
  return value;
}

/** A copy as plain JSON, with sorted keys on request; `made` may change each object and array of it. Pure. */
export function jsonCopy(value: unknown, sorted: boolean, made = <T>(copy: T): T => copy): unknown {
  const form = jsonForm(value);
  if (Array.isArray(form)) return made(form.map((item) => jsonCopy(item ?? null, sorted, made)));
  if (!isRecord(form)) return form;
  const entries = Object.entries(form).map(([key, item]) => [key, jsonCopy(item, sorted, made)] as const);
  return made(Object.fromEntries(sorted ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries));
}
