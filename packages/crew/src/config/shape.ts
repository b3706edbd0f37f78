import type { Row } from '@holdfast/agent/config';
import { checkValue, cleanName, holdsKey, KEY_ADVICE, namesKey, nearest, shown } from '@holdfast/agent/config';

/** What part of a file may be: a value, a map with known keys, or a map from names to things of one kind. */
export type Shape =
  | { readonly type: 'value'; readonly row: Row; readonly must?: boolean }
  | { readonly type: 'section'; readonly keys: Readonly<Record<string, Shape>> }
  | { readonly type: 'named'; readonly each: Shape; readonly what: string; readonly must?: boolean };

/** A problem at a path. The text follows the path; one that begins with a colon follows it directly. */
export interface ShapeProblem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
  /** The key itself is wrong, not its value. */
  readonly key?: true;
}

/** The names of speakers and tools that every API accepts. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Checks a value against its shape: the value with defaults filled in, and all problems. Pure; never throws. */
export function readShape(shape: Shape, value: unknown, path: readonly PropertyKey[] = []): [unknown, ShapeProblem[]] {
  if (shape.type === 'value') return readValue(shape.row, value, path, shape.must === true);
  const given = value ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    const [first = ''] = shape.type === 'section' ? Object.keys(shape.keys) : [`${shape.what}-1`];
    return [
      undefined,
      [{ path, text: `is ${shown(value)}: expected a map, such as "${first}:" on a line of its own` }],
    ];
  }
  return shape.type === 'section'
    ? readSection(shape.keys, given as Record<string, unknown>, path)
    : readNamed(shape, given as Record<string, unknown>, path);
}

function readValue(row: Row, value: unknown, path: readonly PropertyKey[], must: boolean): [unknown, ShapeProblem[]] {
  if (value === undefined || (value === null && typeof row.default === 'object'))
    return must
      ? [undefined, [{ path, text: `is missing: expected ${row.takes}` }]]
      : [structuredClone(row.default), []];
  if (holdsKey(value)) return [undefined, [{ path, text: `contains what looks like a secret: ${KEY_ADVICE}` }]];
  const { value: checked, problems } = checkValue(row, value);
  return [checked, problems.map((one) => ({ path: [...path, ...one.path], text: one.text }))];
}

function readSection(
  keys: Readonly<Record<string, Shape>>,
  given: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
): [unknown, ShapeProblem[]] {
  const wrong = Object.keys(given)
    .filter((key) => !Object.hasOwn(keys, key))
    .map((key): ShapeProblem => ({ path: [...path, key], text: unknownKey(key, Object.keys(keys)), key: true }));
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
  return meant === undefined
    ? `: unknown key: expected one of ${known.join(', ')}`
    : `: unknown key: did you mean ${meant}?`;
}

function readNamed(
  { each, what, must }: Shape & { type: 'named' },
  given: Readonly<Record<string, unknown>>,
  path: readonly PropertyKey[],
): [unknown, ShapeProblem[]] {
  const wrong: ShapeProblem[] = [];
  if (must && Object.keys(given).length === 0)
    wrong.push({ path, text: `is empty: add at least one ${what}, on an indented line of its own` });
  const entries = Object.entries(given).map(([name, one]) => {
    if (!NAME.test(name))
      wrong.push({
        path: [...path, name],
        text: ': invalid name: expected at most 64 letters, digits, - and _, starting with a letter',
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
