import { isRecord } from '../json/record.ts';

/** How a value breaks its shape; each API has its own words for it. */
export interface ShapeFault {
  /** Keys and indexes from the field down; a tag that chose the shape is `{ tag }`. */
  readonly path: ShapePath;
  readonly kind: 'missing' | 'extra' | 'type' | 'value' | 'tag' | 'small';
  /** The type by name, the values allowed, or the least number. */
  readonly expected: string | number | readonly string[];
  readonly value: unknown;
}

export type ShapePath = readonly (string | number | { readonly tag: string })[];

/** The rules for fields, with how to fix a violation. */
export const FIELD_RULES = {
  'unknown-parameter': 'Leave the field out.',
  'bad-field': 'Send the field as the API documents it.',
} as const satisfies Readonly<Record<string, string>>;

/** The rule that a fault breaks. */
export function ruleOf({ kind }: ShapeFault): keyof typeof FIELD_RULES {
  return kind === 'extra' ? 'unknown-parameter' : 'bad-field';
}

/** A path as most APIs write it: `tools[0].name`. */
export function pathText(path: ShapePath): string {
  const keys = path.map((key) => (typeof key === 'object' ? '' : typeof key === 'number' ? `[${key}]` : `.${key}`));
  return keys.join('').replace(/^\./, '');
}

/** Reports every fault of a value. Pure. */
export type Shape = (value: unknown, path: ShapePath, report: (fault: ShapeFault) => void) => void;

const ofType =
  (expected: string, is: (value: unknown) => boolean): Shape =>
  (value, path, report) => {
    if (!is(value)) report({ path, kind: 'type', expected, value });
  };

/** Any value. */
export const anything: Shape = () => {};
export const text: Shape = ofType('string', (value) => typeof value === 'string');
export const flag: Shape = ofType('boolean', (value) => typeof value === 'boolean');
export const numeric: Shape = ofType('number', (value) => typeof value === 'number');
/** An object with any fields. */
export const object: Shape = ofType('object', isRecord);

/** A whole number of at least `least`. */
export function whole(least = 0): Shape {
  const isWhole = ofType('integer', Number.isInteger);
  return (value, path, report) => {
    isWhole(value, path, report);
    if (typeof value === 'number' && value < least) report({ path, kind: 'small', expected: least, value });
  };
}

/** One of these texts. */
export function oneOf(...values: readonly string[]): Shape {
  return (value, path, report) => {
    if (!values.some((one) => one === value)) report({ path, kind: 'value', expected: values, value });
  };
}

/** What the shape allows, or null. */
export function orNull(shape: Shape): Shape {
  return (value, path, report) => {
    if (value !== null) shape(value, path, report);
  };
}

/** A list, each item of this shape. */
export function listOf(shape: Shape): Shape {
  return (value, path, report) => {
    if (!Array.isArray(value)) report({ path, kind: 'type', expected: 'array', value });
    else for (const [at, item] of value.entries()) shape(item, [...path, at], report);
  };
}

/** An object whose values all have this shape. */
export function mapOf(shape: Shape): Shape {
  return (value, path, report) => {
    object(value, path, report);
    for (const [key, item] of isRecord(value) ? Object.entries(value) : []) shape(item, [...path, key], report);
  };
}

/** The first shape that accepts the value; if none does, the faults of the last. */
export function either(...shapes: readonly Shape[]): Shape {
  return (value, path, report) => {
    let faults: ShapeFault[] = [];
    for (const shape of shapes) {
      faults = [];
      shape(value, path, (fault) => faults.push(fault));
      if (faults.length === 0) return;
    }
    for (const fault of faults) report(fault);
  };
}

/** Fields of the same shape, to list among others. */
export function each(shape: Shape, ...names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, shape]));
}

/** An object with these fields and no others; a name that ends in `?` may be absent. */
export function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  const known = Object.entries(shapes).map(([key, shape]) => {
    const optional = key.endsWith('?');
    return { key: optional ? key.slice(0, -1) : key, optional, shape };
  });
  const keys = new Set(known.map(({ key }) => key));
  return (value, path, report) => {
    if (!isRecord(value)) return object(value, path, report);
    for (const { key, optional, shape } of known) {
      const item = value[key];
      if (item !== undefined) shape(item, [...path, key], report);
      else if (!optional) report({ path: [...path, key], kind: 'missing', expected: '', value: item });
    }
    for (const [key, item] of Object.entries(value))
      if (!keys.has(key) && item !== undefined)
        report({ path: [...path, key], kind: 'extra', expected: '', value: item });
  };
}

/** An object whose `type` chooses its other fields. `usual` is the type if there is none. */
export function byType(kinds: Readonly<Record<string, Readonly<Record<string, Shape>>>>, usual?: string): Shape {
  const shapes = new Map(
    Object.entries(kinds).map(([tag, more]) => [
      tag,
      fields({ [tag === usual ? 'type?' : 'type']: anything, ...more }),
    ]),
  );
  return (value, path, report) => {
    if (!isRecord(value)) return object(value, path, report);
    const tag = value.type ?? usual;
    const shape = typeof tag === 'string' ? shapes.get(tag) : undefined;
    if (shape) shape(value, [...path, { tag: String(tag) }], report);
    else if (tag === undefined) report({ path: [...path, 'type'], kind: 'missing', expected: '', value: tag });
    else report({ path, kind: 'tag', expected: [...shapes.keys()], value: tag });
  };
}
