import { TREE } from './keys.ts';
import type { Row } from './row.ts';

type Tree = { readonly [name: string]: Row | Tree };

/** Short keys and their full forms. */
export const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['execution.max_conversation_messages', 'execution.conversation.max_messages'],
]);

/** The row of a short key. Pure. */
export function shorthandRow(key: string): Row | undefined {
  const full = SHORTHANDS.get(key) ?? '';
  const row = KEYS.get(full);
  const short = full.slice(parted(key)[0].length + 1);
  return row && { ...row, about: `Short for \`${short}\`; set only one of the two.` };
}

/** Every key by its dotted name, in display order. */
export const KEYS: ReadonlyMap<string, Row> = new Map(rowsIn(TREE, ''));

/** The names in each section; the top level is the section ''. */
export const SECTIONS: ReadonlyMap<string, readonly string[]> = sections();

/** Joins a section and a name into a dotted name. */
export function dotted(section: string, name: string): string {
  return section === '' ? name : `${section}.${name}`;
}

/** Splits a dotted name into its section and the name within it. */
export function parted(key: string): readonly [section: string, name: string] {
  const dot = key.lastIndexOf('.');
  return [key.slice(0, Math.max(0, dot)), key.slice(dot + 1)];
}

function rowsIn(tree: Tree, section: string): [string, Row][] {
  return Object.entries(tree).flatMap(([name, one]): [string, Row][] => {
    const key = dotted(section, name);
    return isRow(one) ? [[key, one]] : rowsIn(one, key);
  });
}

function isRow(one: Row | Tree): one is Row {
  return typeof one.takes === 'string';
}

function sections(): Map<string, string[]> {
  const found = new Map<string, string[]>([['', []]]);
  const add = (key: string) => {
    const [section, name] = parted(key);
    if (!found.has(section)) {
      found.set(section, []);
      add(section);
    }
    found.get(section)?.push(name);
  };
  for (const key of KEYS.keys()) add(key);
  // Show a short key before the section of its full key.
  for (const [key, full] of SHORTHANDS) {
    const [section, name] = parted(key);
    const names = found.get(section) ?? [];
    names.splice(names.indexOf(parted(parted(full)[0])[1]), 0, name);
  }
  return found;
}
