import { DEPTH, tooDeep } from '../json/depth.ts';

/** A message as the caller passed it, and what it contained then. */
export interface SeenMessage<M> {
  readonly message: M;
  readonly snapshot: Snapshot<M>;
}

export function seenMessage<M>(message: M): SeenMessage<M> {
  return { message, snapshot: snapshotOf(message) };
}

declare const of: unique symbol;

/**
 * What a value contained at one moment, whatever is changed in place later: its keys and values in one flat list, which is
 * faster to make than a copy. It shares texts, bytes, URLs and dates with the value, so it takes little memory.
 */
export interface Snapshot<T> extends ReadonlyArray<unknown> {
  readonly [of]?: T;
}

/** Marks where a list or a record starts, or either ends. */
const LIST = Symbol('list');
const RECORD = Symbol('record');
const END = Symbol('end');

/** Throws RangeError for a value nested too deep to be sent. */
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

/** A copy of the value as it was. */
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

/** A copy that shares no list or record with the value. Throws RangeError for a value nested too deep to be sent. */
export function copyOf<T>(value: T): T {
  return restored(snapshotOf(value));
}

/** True if the value still contains what it did. Unchanged texts compare by address, whatever their length. */
export function isUnchanged<T>(value: T, snapshot: Snapshot<T>): boolean {
  return unchangedUntil(value, snapshot, 0) === snapshot.length;
}

/** The position in the snapshot after this value; -1 if the value has changed. */
function unchangedUntil(value: unknown, snapshot: readonly unknown[], from: number): number {
  const first = snapshot[from];
  if (Object.is(value, first)) return from + 1;
  if (!isNested(value)) return -1;
  let at = from + 1;
  if (Array.isArray(value)) {
    if (first !== LIST) return -1;
    for (let i = 0; i < value.length && at > 0; i++) at = unchangedUntil(value[i], snapshot, at);
  } else {
    if (first !== RECORD || isShared(value)) return -1;
    for (const key in value) {
      at = snapshot[at] === key ? unchangedUntil(value[key as keyof typeof value], snapshot, at + 1) : -1;
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

/** Recognizes a message without keeping it: the same object by its fingerprint, any other by its hash. */
export interface Fingerprint {
  /** Contains the object without keeping it alive. */
  readonly object: WeakSet<object>;
  /** Characters that it covers at both ends of each text. */
  readonly ends: number;
  readonly text: string;
  readonly hash: string;
}

/** Least characters that a fingerprint covers at both ends of a long text, and how many it samples in between. */
const ENDS = 512;
const SAMPLES = 64;

/** Lengths of all texts, `ends` characters of both their ends, and a sample in between. A string, because those compare fastest. */
export function fingerprintOf(value: unknown, ends: number): string {
  if (typeof value === 'string') return sampleText(value, Math.max(ends, ENDS));
  if (typeof value !== 'object' || value === null) return String(value);
  if (ArrayBuffer.isView(value)) return String(value.byteLength);
  let text = '';
  if (Array.isArray(value)) for (const item of value) text += `,${fingerprintOf(item, ends)}`;
  else for (const key in value) text += `,${key}:${fingerprintOf(value[key as keyof typeof value], ends)}`;
  return text;
}

function sampleText(text: string, ends: number): string {
  const { length } = text;
  if (length <= 2 * ends) return text;
  let sample = length;
  const step = Math.ceil((length - 2 * ends) / SAMPLES);
  for (let at = ends; at < length - ends; at += step) sample = Math.imul(sample ^ text.charCodeAt(at), 0x01000193);
  return `${length} ${sample} ${text.slice(0, ends)}${text.slice(-ends)}`;
}
