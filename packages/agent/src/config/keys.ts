import type { Row } from './row.ts';
import { TREE } from './rows.ts';

type Tree = { readonly [name: string]: Row | Tree };

/** Keys of a file that stand for others. */
export const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ['execution.max_conversation_messages', 'execution.conversation.max_messages'],
]);

/** What is said of a key that stands for another. Pure. */
export function shorthandRow(key: string): Row | undefined {
  const full = SHORTHANDS.get(key) ?? '';
  const row = KEYS.get(full);
  const short = full.slice(parted(key)[0].length + 1);
  return row && { ...row, about: `Short for \`${short}\`: give one of the two.` };
}

/** Every key by its dotted name, in the order in which they are shown. */
export const KEYS: ReadonlyMap<string, Row> = new Map(rowsIn(TREE, ''));

/** The names in each section; the file itself is the section ''. */
export const SECTIONS: ReadonlyMap<string, readonly string[]> = sections();

/** A dotted name from a section and a name in it. */
export function dotted(section: string, name: string): string {
  return section === '' ? name : `${section}.${name}`;
}

/** The section that a key stands in, and its name there. */
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
  // Before the section of the key that it stands for.
  for (const [key, full] of SHORTHANDS) {
    const [section, name] = parted(key);
    const names = found.get(section) ?? [];
    names.splice(names.indexOf(parted(parted(full)[0])[1]), 0, name);
  }
  return found;
}
