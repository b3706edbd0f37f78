import { DEPTH, tooDeep } from '../content.ts';

/** A message as the caller gave it, and a copy of what it held then. */
export interface Trace<M> {
  readonly message: M;
  readonly copy: M;
}

export function traceOf<M>(message: M): Trace<M> {
  return { message, copy: copyOf(message) };
}

/**
 * A copy that later changes in place do not reach. Texts are shared, so it takes little room; bytes, URLs and dates are, too.
 * Throws RangeError for more levels than can be sent.
 */
export function copyOf<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEPTH) throw tooDeep();
  if (Array.isArray(value)) return copyList(value, depth + 1) as T;
  if (isShared(value)) return value;
  // A spread is slower when a field is replaced after it.
  const copy = Object.assign({}, value);
  for (const key in value) {
    const item = value[key];
    if (typeof item === 'object' && item !== null) copy[key] = copyOf(item, depth + 1);
  }
  return copy;
}

function copyList(list: readonly unknown[], depth: number): unknown[] {
  const copy = list.slice();
  for (let i = 0; i < copy.length; i++) copy[i] = copyOf(copy[i], depth);
  return copy;
}

/** True if the value still holds what it held when it was copied. Unchanged texts compare by address, whatever their length. */
export function isIntact(value: unknown, copy: unknown): boolean {
  if (Object.is(value, copy)) return true;
  if (typeof value !== 'object' || typeof copy !== 'object' || value === null || copy === null) return false;
  if (Array.isArray(value) || Array.isArray(copy)) return isIntactList(value, copy);
  if (isShared(value)) return false;
  let keys = 0;
  for (const key in value) {
    if (!isIntact(value[key as keyof typeof value], copy[key as keyof typeof copy])) return false;
    keys++;
  }
  for (const _ in copy) keys--;
  return keys === 0;
}

function isIntactList(value: unknown, copy: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(copy) || value.length !== copy.length) return false;
  for (let i = 0; i < value.length; i++) if (!isIntact(value[i], copy[i])) return false;
  return true;
}

function isShared(value: object): boolean {
  return Object.getPrototypeOf(value) !== Object.prototype && (ArrayBuffer.isView(value) || 'toJSON' in value);
}

/** How a message is known that need not be kept: the object by a print, any other by the hash of all it holds. */
export interface Print {
  /** Holds the object, but does not keep it. */
  readonly object: WeakSet<object>;
  /** Of so many characters at both ends. */
  readonly ends: number;
  readonly print: string;
  readonly hash: string;
}

/** Characters at both ends of a long text that a print reads at least, and how many it picks between them. */
const ENDS = 512;
const SAMPLES = 64;

/**
 * A print of a message that need not be kept: the lengths of its texts, `ends` characters of their beginnings and ends, and a
 * sample of what lies between. A text, because equal texts are compared faster than anything can be added up.
 */
export function printOf(value: unknown, ends: number): string {
  if (typeof value === 'string') return printText(value, Math.max(ends, ENDS));
  if (typeof value !== 'object' || value === null) return String(value);
  if (ArrayBuffer.isView(value)) return String(value.byteLength);
  let print = '';
  if (Array.isArray(value)) for (const item of value) print += `,${printOf(item, ends)}`;
  else for (const key in value) print += `,${key}:${printOf(value[key as keyof typeof value], ends)}`;
  return print;
}

function printText(text: string, ends: number): string {
  const { length } = text;
  if (length <= 2 * ends) return text;
  let sample = length;
  const step = Math.ceil((length - 2 * ends) / SAMPLES);
  for (let at = ends; at < length - ends; at += step) sample = Math.imul(sample ^ text.charCodeAt(at), 0x01000193);
  return `${length} ${sample} ${text.slice(0, ends)}${text.slice(-ends)}`;
}
