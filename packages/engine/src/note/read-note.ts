import { type NameKind, scanNames } from '../text/names.ts';
import {
  type CommandFact,
  type Digest,
  EMPTY_DIGEST,
  type NameFact,
  type Remark,
  type Section,
  type ToolFact,
} from './digest.ts';
import { type FileFact, type FileRead, mergeFiles } from './ledger.ts';
import {
  COMMANDS_HEADING,
  FILES_HEADING,
  HEADINGS,
  NAME_HEADINGS,
  STEPS_HEADING,
  TOOLS_HEADING,
  VALUES_HEADING,
} from './render-note.ts';
import { isId } from './values.ts';

export { type NoteLine, noteLines } from './note-lines.ts';

/** What a note's text says. */
export interface ReadNote {
  /** How many messages it speaks for; 0 if it does not say. */
  readonly dropped: number;
  readonly digest: Digest;
}

/** Headings of older notes whose lines still have the same form. A heading that gets other words gets a line here. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['The assistant said', HEADINGS.findings],
  ['Said and decided', HEADINGS.findings],
  ['Commands run', COMMANDS_HEADING],
]);
const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ...Object.entries(HEADINGS).map(([section, heading]) => [heading, section] as [string, Section]),
  [STEPS_HEADING, 'open'],
]);
const KINDS: ReadonlyMap<string, NameKind> = new Map([
  ...Object.entries(NAME_HEADINGS).map(([kind, heading]) => [heading as string, kind as NameKind] as const),
  // Headings of older notes.
  ['Numbers, by last use', 'number'],
  ['Hashes, by last use', 'hash'],
]);
const PLACE = /^(?:m(\d+)(?:~\d+)?(?:@[\w-]+)?)?(?:(?:^|, )from "[^"]*")?: /;
const COUNT = /^[^\n\d]*(\d{1,9})(?!\d)/;
const TOOL = /"([^"]+)" ×(\d{1,9})|(\S+) ×(\d{1,9})/g;
const QUOTATION = /"([^"]*)"/g;
/** A command, its exit code, what failed and what mended it. */
const COMMAND = /^"([^"]*)"(?: → exit (-?\d{1,3}))?(?: → failed: "([^"]*)"(?: until "([^"]*)" changed)?)?$/;
const FILE = /^"([^"]*)": (.*)$/;
const DONE = /^(changed|created|deleted|moved|read)\b(.*)$/;
const FILE_PLACE = /m(\d+)(?:~\d+)?(?:@[\w-]+)?(?: \(lines (\d+)-(\d+)\))?/g;

/**
 * Reads back a note of which only the text was kept: how many messages it speaks for, and its lines and names as a digest
 * that the next fold can merge. Lines without a handle get places before `end`, in order. Ignores what it cannot read. Pure.
 */
export function readNote(note: string, end = 0): ReadNote {
  const parts = note.split('\n## ').slice(1);
  const found = { sections: new Map<Section, Remark[]>(), files: [] as FileFact[], commands: [] as CommandFact[] };
  const names: NameFact[] = [];
  const tools: ToolFact[] = [];
  const omitted: number[] = [];
  let next = Math.max(0, end - parts.reduce((sum, part) => sum + part.split('\n').length - 1, 0));
  for (const part of parts) {
    const [first = '', ...lines] = part.split('\n');
    const heading = RENAMED.get(first) ?? first;
    const section = SECTIONS.get(heading);
    const kind = KINDS.get(heading);
    for (const line of lines) {
      const [prefix = '', handle] = PLACE.exec(line) ?? [];
      const before = Math.min(next++, Math.max(0, end - 1));
      const at = handle === undefined ? before : Number(handle);
      const said = line.slice(prefix.length);
      const texts = textsIn(said);
      if (section === 'asked' && said.startsWith('(')) omitted.push(...placesIn(said));
      else if (section) for (const text of texts) add(found.sections, section, [text, at]);
      else if (heading === FILES_HEADING) found.files.push(...fileIn(said, at));
      else if (heading === COMMANDS_HEADING) found.commands.push(commandIn(said, at));
      else if (OLD_FAILURES.has(heading)) for (const text of texts) found.commands.push(['', at, null, text]);
      else if (heading === 'Files changed')
        for (const path of texts) found.files.push({ path, since: at, changes: [at], reads: [] });
      else if (heading === 'Files read')
        for (const path of texts) found.files.push({ path, changes: [], reads: [[at]] });
      else if (heading === VALUES_HEADING) for (const text of texts) names.push(...valueIn(text, at));
      else if (kind) for (const name of texts.join(', ').split(', ')) names.push([name, kind, 0, 1, at]);
      else if (heading === TOOLS_HEADING)
        for (const [, name, uses, bare = '', bareUses] of said.matchAll(TOOL))
          tools.push([name ?? bare, Number(uses ?? bareUses), at]);
    }
  }
  const dropped = Number(COUNT.exec(note)?.[1] ?? 0);
  const { sections, commands } = found;
  const files = mergeFiles(found.files);
  return {
    dropped,
    digest: { ...EMPTY_DIGEST, ...Object.fromEntries(sections), omitted, files, commands, names, tools },
  };
}

const OLD_FAILURES = new Set(['Last errors, from tools', 'Last errors']);

function add(sections: Map<Section, Remark[]>, section: Section, remark: Remark): void {
  const remarks = sections.get(section);
  if (remarks) remarks.push(remark);
  else sections.set(section, [remark]);
}

/** The quotations in a line. Older notes quoted nothing: their lines are taken as they are. */
function textsIn(line: string): string[] {
  const quotations = line.startsWith('"') ? [...line.matchAll(QUOTATION)] : [];
  return quotations.length > 0 ? quotations.map(([, text = '']) => text) : [line];
}

function placesIn(line: string): number[] {
  return [...line.matchAll(FILE_PLACE)].map(([, at]) => Number(at));
}

function commandIn(line: string, at: number): CommandFact {
  const [, text = line, exit, failure, mended] = COMMAND.exec(line) ?? [];
  if (failure !== undefined) {
    const failed = [text, at, exit === undefined ? null : Number(exit), failure] as const;
    return mended === undefined ? failed : [...failed, mended];
  }
  return exit === undefined ? [text, at] : [text, at, Number(exit)];
}

function fileIn(line: string, before: number): FileFact[] {
  const [, path, rest = ''] = FILE.exec(line) ?? [];
  if (path === undefined) return [];
  const changes: number[] = [];
  const reads: FileRead[] = [];
  let did: FileFact['did'];
  // Handles follow what was done; without handles, the words are separated by commas.
  for (const part of rest.split(/; |, (?!m\d)/)) {
    const [, what, places = ''] = DONE.exec(part) ?? [];
    const found = [...places.matchAll(FILE_PLACE)].map(
      ([, at, from, to]): FileRead => (from === undefined ? [Number(at)] : [Number(at), Number(from), Number(to)]),
    );
    const all: FileRead[] = found.length > 0 ? found : [[before]];
    if (what === undefined) continue;
    if (what === 'read') reads.push(...all);
    else changes.push(...all.map(([at]) => at));
    if (what === 'created' || what === 'deleted' || what === 'moved') did = what;
  }
  const since = changes.length > 0 ? { since: Math.min(...changes) } : {};
  return [{ path, ...since, ...(did ? { did } : {}), changes, reads }];
}

/** The value in a line, with its meaning. */
function valueIn(meaning: string, at: number): NameFact[] {
  let found: NameFact | undefined;
  scanNames(meaning, (name, kind) => {
    if (isId(name, kind)) found ??= [name, kind, 0, 1, at, 0, meaning, at];
  });
  return found ? [found] : [];
}
