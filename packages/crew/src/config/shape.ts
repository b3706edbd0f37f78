import type { Row } from '@holdfast/agent/config';
import { checkValue, cleanName, holdsKey, KEY_ADVICE, namesKey, nearest, shown } from '@holdfast/agent/config';

/** What a part of a file must be: a value, a map with known keys, or a map of things of one kind by name. */
export type Shape =
  | { readonly type: 'value'; readonly row: Row; readonly must?: boolean }
  | { readonly type: 'section'; readonly keys: Readonly<Record<string, Shape>> }
  | { readonly type: 'named'; readonly each: Shape; readonly what: string; readonly must?: boolean };

/** Something wrong at a path of a value, to be read behind that path. */
export interface Wrong {
  readonly path: readonly PropertyKey[];
  readonly text: string;
  /** It is the key that is wrong, and not what stands there. */
  readonly key?: true;
}

/** OpenAI takes such names of speakers and of tools, and the others do too. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** A value by its shape, with defaults filled in, and all that is wrong with it. Pure; never throws. */
export function readShape(shape: Shape, value: unknown, path: readonly PropertyKey[] = []): [unknown, Wrong[]] {
  if (shape.type === 'value') return readValue(shape.row, value, path, shape.must === true);
  const given = value ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    const [first = ''] = shape.type === 'section' ? Object.keys(shape.keys) : [`${shape.what}-1`];
    return [undefined, [{ path, text: `is ${shown(value)}: give a map, such as "${first}:" on a line of its own` }]];
  }
  return shape.type === 'section'
    ? readSection(shape.keys, given as Record<string, unknown>, path)
    : readNamed(shape, given as Record<string, unknown>, path);
}

function readValue(row: Row, value: unknown, path: readonly PropertyKey[], must: boolean): [unknown, Wrong[]] {
  if (value === undefined || (value === null && typeof row.default === 'object'))
    return must ? [undefined, [{ path, text: `is missing: give ${row.takes}` }]] : [structuredClone(row.default), []];
  if (holdsKey(value)) return [undefined, [{ path, text: `holds what looks like a key: ${KEY_ADVICE}` }]];
  const { value: checked, problems } = checkValue(row, value);
  return [checked, problems.map((one) => ({ path: [...path, ...one.path], text: one.text }))];
}

function readSection(
  keys: Readonly<Record<string, Shape>>,
  given: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
): [unknown, Wrong[]] {
  const wrong = Object.keys(given)
    .filter((key) => !Object.hasOwn(keys, key))
    .map((key): Wrong => ({ path: [...path, key], text: unknownKey(key, Object.keys(keys)), key: true }));
  const entries = Object.entries(keys).flatMap(([key, shape]) => {
    const [value, problems] = readShape(shape, Object.hasOwn(given, key) ? given[key] : undefined, [...path, key]);
    wrong.push(...problems);
    return value === undefined ? [] : [[key, value]];
  });
  return [Object.fromEntries(entries), wrong];
}

function unknownKey(key: string, known: readonly string[]): string {
  if (namesKey(key)) return `: ${KEY_ADVICE}`;
  const meant = nearest(key, known);
  return meant === undefined ? `is no key: known are ${known.join(', ')}` : `is no key: did you mean ${meant}?`;
}

function readNamed(
  { each, what, must }: Shape & { type: 'named' },
  given: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
): [unknown, Wrong[]] {
  const wrong: Wrong[] = [];
  if (must && Object.keys(given).length === 0)
    wrong.push({ path, text: `is empty: name at least one ${what}, on an indented line of its own` });
  const entries = Object.entries(given).map(([name, one]) => {
    if (!NAME.test(name))
      wrong.push({
        path: [...path, name],
        text: 'is no good name: give letters, digits, - and _, a letter first, 64 at most',
        key: true,
      });
    const [value, problems] = readShape(each, one, [...path, name]);
    wrong.push(...problems);
    return [name, value];
  });
  return [Object.fromEntries(entries), wrong];
}

/** `agents.clerk.tools[0]`. Pure. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = cleanName(String(step));
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
