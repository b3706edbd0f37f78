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
  const isSection = shape.type === 'section';
  const given = value ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    const [first = ''] = isSection ? Object.keys(shape.keys) : [`${shape.what}-1`];
    const text = `is ${shown(value)}: expected a map, such as "${first}:" on a line of its own`;
    return [undefined, [{ path, text }]];
  }
  const map = given as Readonly<Record<string, unknown>>;
  const problems = keyProblems(shape, Object.keys(map), path);
  const parts = isSection ? Object.entries(shape.keys) : Object.keys(map).map((name) => [name, shape.each] as const);
  const entries = parts.flatMap(([key, part]) => {
    const [read, more] = readShape(part, Object.hasOwn(map, key) ? map[key] : undefined, [...path, key]);
    problems.push(...more);
    return read === undefined && isSection ? [] : [[key, read]];
  });
  return [Object.fromEntries(entries), problems];
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

function keyProblems(
  shape: Exclude<Shape, { type: 'value' }>,
  given: readonly string[],
  path: readonly PropertyKey[],
): ShapeProblem[] {
  const at = (key: string, text: string): ShapeProblem => ({ path: [...path, key], text, key: true });
  if (shape.type === 'section') {
    const known = Object.keys(shape.keys);
    return given.filter((key) => !known.includes(key)).map((key) => at(key, unknownKey(key, known)));
  }
  const invalid = ': invalid name: expected at most 64 letters, digits, - and _, starting with a letter';
  const empty = `is empty: add at least one ${shape.what}, on an indented line of its own`;
  return [
    ...(shape.must && given.length === 0 ? [{ path, text: empty }] : []),
    ...given.filter((name) => !NAME.test(name)).map((name) => at(name, invalid)),
  ];
}

function unknownKey(key: string, known: readonly string[]): string {
  if (namesKey(key)) return `: ${KEY_ADVICE}`;
  const meant = nearest(key, known);
  return `: unknown key: ${meant === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`}`;
}

/** `agents.clerk.tools[0]`. Pure. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = cleanName(String(step));
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
