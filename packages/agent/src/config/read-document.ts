import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { checkValue } from './check-value.ts';
import { dotted, KEYS, parted, SECTIONS, SHORTHANDS } from './key-index.ts';
import { type Parsed, parseYaml } from './parse-yaml.ts';
import { cleanName, type Problem, problemsError, shown } from './problem.ts';
import { holdsKey, KEY_ADVICE, namesKey, variableAdvice } from './secrets.ts';
import { nearest } from './suggest.ts';

/** A value of a file. */
export interface Given {
  readonly value: unknown;
  readonly line: number;
  readonly place: string;
}

/** The content of a file: valid values by their dotted names, problems, and unused keys. */
export interface Reading {
  readonly given: ReadonlyMap<string, Given>;
  readonly problems: readonly Problem[];
  /** Unknown keys in a file that other programs read too. */
  readonly unused: readonly string[];
}

/** Keys that have another name in `.ai/config.yml`. */
const OLDER: ReadonlyMap<string, string> = new Map([['validation.pre_commit', 'validation.commands']]);

/** Older names of a key, for warnings. */
export function otherNamesOf(key: string): string[] {
  return [...SHORTHANDS, ...OLDER].filter(([, full]) => full === key).map(([name]) => name);
}

/** Checks a parsed file against the rows. `shared`: other programs read it too, so unknown keys are allowed. */
export function readDocument(parsed: Parsed, shared: boolean): Reading {
  const { document, placeOf, lineOf } = parsed;
  const given = new Map<string, Given>();
  const problems: Problem[] = [...parsed.problems];
  const unused: string[] = [];
  const refuse = (at: unknown, text: string) => void problems.push({ place: placeOf(at), text });
  const resolved = (node: unknown): Node | null => {
    const target = isAlias(node) ? node.resolve(document) : node;
    return (target ?? null) as Node | null;
  };

  function readSection(map: YAMLMap, section: string): void {
    for (const pair of map.items as Pair[]) {
      const name = String(isScalar(pair.key) ? pair.key.value : pair.key);
      const key = dotted(section, name);
      const value = resolved(pair.value);
      // Look up the section first: a name may contain dots, or be empty.
      const known = SECTIONS.get(section)?.includes(name) || (shared && OLDER.has(key));
      if (known && SECTIONS.has(key)) enter(key, pair, value);
      else if (known) readValue(key, pair, value);
      else if (namesKey(name) && (section !== '' || !shared))
        refuse(pair.key, `${dotted(section, cleanName(name))}: ${KEY_ADVICE}`);
      else if (!shared) refuse(pair.key, unknownKey(section, name));
      else if (key !== 'version') unused.push(dotted(section, cleanName(name)) + (suggestion(section, name) ?? ''));
    }
  }

  function enter(key: string, pair: Pair, node: Node | null): void {
    if (isMap(node)) readSection(node, key);
    else if (key === 'provider' && isScalar(node) && !isEmpty(node)) readValue('provider.type', pair, node);
    else if (!isEmpty(node)) {
      const kind = isSeq(node) ? 'a list' : shown(isScalar(node) ? node.value : node);
      const [first = ''] = SECTIONS.get(key) ?? [];
      refuse(pair.value, `${key} is ${kind}: expected a map, such as "${first}:" on an indented line of its own`);
    }
  }

  function readValue(name: string, pair: Pair, node: Node | null): void {
    const key = OLDER.get(name) ?? SHORTHANDS.get(name) ?? name;
    const row = KEYS.get(key);
    const value: unknown = node === null ? null : node.toJS(document);
    if (!row || (value === null && takesNothing(row.default))) return;
    const spot = isEmpty(node) ? pair.key : pair.value;
    if (holdsKey(value)) {
      const { variable = '', passwordInVariable } = row;
      const usual = passwordInVariable ? variableAdvice(variable) : KEY_ADVICE;
      const advice = key === 'mcp_servers' ? `${usual}; write \${NAME} for the variable NAME` : usual;
      refuse(spot, `${name} contains what looks like a key: ${advice}`);
      return;
    }
    const checked = checkValue(row, value);
    for (const { path, text } of checked.problems) refuse(nodeAt(node, path) ?? spot, `${placeIn(name, path)} ${text}`);
    if (checked.problems.length === 0) {
      given.set(name, { value: checked.value, line: lineOf(pair.key), place: placeOf(spot) });
    }
  }

  if (parsed.root) readSection(parsed.root, '');
  return { given, problems, unused };
}

function isEmpty(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

/** A list or a map whose lines are all commented out counts as unset. */
function takesNothing(standard: unknown): boolean {
  return typeof standard === 'object';
}

function suggestion(section: string, name: string): string | undefined {
  const meant = nearest(name, SECTIONS.get(section) ?? []);
  return meant === undefined ? undefined : ` (did you mean ${meant}?)`;
}

function unknownKey(section: string, name: string): string {
  const key = dotted(section, cleanName(name));
  const known = SECTIONS.get(section) ?? [];
  const meant = nearest(name, known);
  if (meant !== undefined) return `${key} is not a known key: did you mean ${meant}?`;
  const elsewhere = [...KEYS.keys(), ...SECTIONS.keys(), ...SHORTHANDS.keys()].find(
    (one) => one !== '' && parted(one)[1] === name,
  );
  if (elsewhere !== undefined) return `${key} is not a key here: write it as ${elsewhere}`;
  return `${key} is not a known key: expected one of ${known.join(', ')}`;
}

/** `mcp_servers.files.args[0]`. */
function placeIn(key: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (place, step) => (typeof step === 'number' ? `${place}[${step}]` : `${place}.${cleanName(String(step))}`),
    key,
  );
}

/** The node at a path, or its nearest parent if it is missing. With the document, aliases are followed. */
function nodeAt(start: Node | null, path: readonly PropertyKey[], document?: Document, isKey = false): unknown {
  const behind = (one: unknown) => (document && isAlias(one) ? one.resolve(document) : one);
  let node: unknown = start;
  let spot: unknown;
  for (const [i, step] of path.entries()) {
    if (isMap(node)) {
      const pair = (node.items as Pair[]).find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) return spot;
      if (isKey && i === path.length - 1) return pair.key;
      spot = behind(pair.value) ?? pair.key;
      node = behind(pair.value);
    } else if (isSeq(node)) {
      node = behind(node.items[Number(step)]);
      spot = node ?? spot;
    } else return spot;
  }
  return spot;
}

/** A YAML file as plain data, with the places of its parts. `key`: a sample key, for the advice. Throws BAD_CONFIG. */
export function readYaml(text: string, file: string, key: string) {
  const { document, root, problems, placeOf } = parseYaml(text, file, key);
  if (problems.length > 0) throw problemsError(problems);
  return {
    value: (root ? document.toJS() : {}) as unknown,
    /** `crew.yml:7:5` for a value, or with `isKey` for its key; for what is missing, the nearest part above. */
    placeOf(path: readonly PropertyKey[], isKey = false): string {
      const node = nodeAt(root ?? null, path, document, isKey);
      return node ? placeOf(node) : `${file}:1:1`;
    },
  };
}
