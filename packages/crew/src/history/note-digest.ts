import type { FoldEntry } from 'holdfast';

type Digest = FoldEntry['digest'];
type Names = Digest['names'];
type Section = Exclude<keyof Digest, 'names' | 'tools'>;

/** Headings of a note's parts, as the engine writes them; some of them had other names before. */
const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ['The user said', 'asked'],
  ['Open to-dos', 'todos'],
  ['The assistant said', 'said'],
  ['Said and decided', 'said'],
  ['Commands run', 'commands'],
  ['Last errors, from tools', 'errors'],
  ['Last errors', 'errors'],
  ['Files changed', 'changed'],
  ['Files read', 'read'],
  ['Declared in files read', 'outline'],
]);
const NAMES: ReadonlyMap<string, Names[number][1]> = new Map([
  ['Paths, by last use', 'path'],
  ['Names, by last use', 'name'],
  ['Numbers, by last use', 'number'],
  ['Hashes, by last use', 'hash'],
]);
const TOOLS = 'Tools used';
const TOOL = /"([^"]+)" ×(\d{1,9})|(\S+) ×(\d{1,9})/g;
/** A quotation and, of a command, its exit code. Notes of before quoted nothing: their lines are taken as they are. */
const QUOTED = /^"([^"]*)"(?: → exit (-?\d{1,3}))?$/;

/**
 * What a note tells, for the next fold to merge into its own: the same lines and names, all at places before `end`. What it
 * cannot read it leaves out. Pure; a note is bounded, and so is this.
 */
export function digestOfNote(note: string, end: number): Digest {
  const parts = note.split('\n## ').slice(1);
  const lines = parts.reduce((sum, part) => sum + part.split('\n').length - 1, 0);
  const sections = new Map<Section, Digest[Section][number][]>();
  const names: [string, Names[number][1], number, number, number][] = [];
  const tools: [string, number, number][] = [];
  let at = Math.max(0, end - lines);
  for (const part of parts) {
    const [heading = '', ...told] = part.split('\n');
    const section = SECTIONS.get(heading);
    const kind = NAMES.get(heading);
    for (const line of told) {
      const place = Math.min(at++, Math.max(0, end - 1));
      const [, text = line, exit] = QUOTED.exec(line) ?? [];
      const remark: Digest[Section][number] = exit === undefined ? [text, place] : [text, place, Number(exit)];
      if (section) sections.set(section, [...(sections.get(section) ?? []), remark]);
      else if (kind) for (const name of text.split(', ')) names.push([name, kind, 0, 1, place]);
      else if (heading === TOOLS)
        for (const [, name, uses, bare = '', bareUses] of line.matchAll(TOOL))
          tools.push([name ?? bare, Number(uses ?? bareUses), place]);
    }
  }
  return {
    asked: [],
    said: [],
    changed: [],
    read: [],
    commands: [],
    errors: [],
    todos: [],
    outline: [],
    ...Object.fromEntries(sections),
    names,
    tools,
  };
}
