import { DEPTH, tooDeep } from '../content.ts';

/** A message as the caller gave it, and what it held then. */
export interface Trace<M> {
  readonly message: M;
  readonly held: Snapshot<M>;
}

export function traceOf<M>(message: M): Trace<M> {
  return { message, held: snapshotOf(message) };
}

declare const of: unique symbol;

/**
 * What a value held at one moment, whatever is changed in place later: its keys and values in one flat list, which is faster
 * to make than a copy. It shares texts, bytes, URLs and dates with the value, so it takes little room.
 */
export interface Snapshot<T> extends ReadonlyArray<unknown> {
  readonly [of]?: T;
}

/** Marks in a snapshot: a list or a record starts, or either ends. */
const LIST = Symbol('list');
const RECORD = Symbol('record');
const END = Symbol('end');

/** Throws RangeError for a value of more levels than can be sent. */
export function snapshotOf<T>(value: T): Snapshot<T> {
  const flat: unknown[] = [];
  if (isNested(value)) flatten(value, flat, 0);
  else flat.push(value);
  return flat;
}

function flatten(value: object, flat: unknown[], depth: number): void {
  if (depth > DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    flat.push(LIST);
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (isNested(item)) flatten(item, flat, depth + 1);
      else flat.push(item);
    }
  } else if (isShared(value)) {
    flat.push(value);
    return;
  } else {
    flat.push(RECORD);
    for (const key in value) {
      const item = value[key as keyof typeof value];
      flat.push(key);
      if (isNested(item)) flatten(item, flat, depth + 1);
      else flat.push(item);
    }
  }
  flat.push(END);
}

/** A new value that holds what the other held. */
export function restored<T>(snapshot: Snapshot<T>): T {
  let at = 0;
  const take = (): unknown => {
    const item = snapshot[at++];
    if (item !== LIST && item !== RECORD) return item;
    const list: unknown[] = [];
    while (snapshot[at] !== END) list.push(item === LIST ? take() : [snapshot[at++], take()]);
    at++;
    return item === LIST ? list : Object.fromEntries(list as [string, unknown][]);
  };
  return take() as T;
}

/** A copy that later changes in place do not reach. Throws RangeError for more levels than can be sent. */
export function copyOf<T>(value: T): T {
  return restored(snapshotOf(value));
}

/** True if the value still holds what it held then. Unchanged texts compare by address, whatever their length. */
export function isIntact<T>(value: T, snapshot: Snapshot<T>): boolean {
  return intactUntil(value, snapshot, 0) === snapshot.length;
}

/** Where the snapshot goes on behind this value; -1 if the value is not what the snapshot has from here on. */
function intactUntil(value: unknown, snapshot: readonly unknown[], from: number): number {
  const first = snapshot[from];
  if (Object.is(value, first)) return from + 1;
  if (!isNested(value)) return -1;
  let at = from + 1;
  if (Array.isArray(value)) {
    if (first !== LIST) return -1;
    for (let i = 0; i < value.length && at > 0; i++) at = intactUntil(value[i], snapshot, at);
  } else {
    if (first !== RECORD || isShared(value)) return -1;
    for (const key in value) {
      at = snapshot[at] === key ? intactUntil(value[key as keyof typeof value], snapshot, at + 1) : -1;
      if (at < 0) return at;
    }
  }
  return snapshot[at] === END ? at + 1 : -1;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isShared(value: object): boolean {
  return value.constructor !== Object && (ArrayBuffer.isView(value) || 'toJSON' in value);
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
