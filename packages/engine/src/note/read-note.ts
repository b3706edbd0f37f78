import type { NameKind } from '../text/names.ts';
import { type Digest, EMPTY_DIGEST, type NameFact, type Remark, type Section, type ToolFact } from './digest.ts';
import { HEADINGS, NAME_HEADINGS, plainFirstLine, TOOLS_HEADING } from './render-note.ts';

/** What a note's text says. */
export interface ReadNote {
  /** How many messages it speaks for; 0 if it does not say. */
  readonly dropped: number;
  readonly digest: Digest;
}

const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ...Object.entries(HEADINGS).map(([section, heading]) => [heading, section as Section] as const),
  // Headings of older notes.
  ['Said and decided', 'said'],
  ['Last errors', 'errors'],
]);
const KINDS: ReadonlyMap<string, NameKind> = new Map(
  Object.entries(NAME_HEADINGS).map(([kind, heading]) => [heading, kind as NameKind]),
);
const PLACE = /^m(\d+)(?:~\d+)?: /;
const COUNT = /^[^\n\d]*(\d{1,9})(?!\d)/;
const TOOL = /"([^"]+)" ×(\d{1,9})|(\S+) ×(\d{1,9})/g;
/** A quotation and a command's exit code. Older notes quoted nothing: their lines are taken as they are. */
const QUOTED = /^"([^"]*)"(?: → exit (-?\d{1,3}))?$/;

/**
 * Reads back a note of which only the text was kept: how many messages it speaks for, and its lines and names as a digest
 * that the next fold can merge. Lines without a handle get places before `end`, in order. Ignores what it cannot read. Pure.
 */
export function readNote(note: string, end = 0): ReadNote {
  const parts = note.split('\n## ').slice(1);
  const sections = new Map<Section, Remark[]>();
  const names: NameFact[] = [];
  const tools: ToolFact[] = [];
  let next = Math.max(0, end - parts.reduce((sum, part) => sum + part.split('\n').length - 1, 0));
  for (const part of parts) {
    const [heading = '', ...lines] = part.split('\n');
    const section = SECTIONS.get(heading);
    const kind = KINDS.get(heading);
    for (const line of lines) {
      const [prefix = '', handle] = PLACE.exec(line) ?? [];
      const before = Math.min(next++, Math.max(0, end - 1));
      const at = handle === undefined ? before : Number(handle);
      const said = line.slice(prefix.length);
      const [, text = said, exit] = QUOTED.exec(said) ?? [];
      const remark: Remark = exit === undefined ? [text, at] : [text, at, Number(exit)];
      if (section) sections.set(section, [...(sections.get(section) ?? []), remark]);
      else if (kind) for (const name of text.split(', ')) names.push([name, kind, 0, 1, at]);
      else if (heading === TOOLS_HEADING)
        for (const [, name, uses, bare = '', bareUses] of said.matchAll(TOOL))
          tools.push([name ?? bare, Number(uses ?? bareUses), at]);
    }
  }
  const dropped = Number(COUNT.exec(note)?.[1] ?? 0);
  return { dropped, digest: { ...EMPTY_DIGEST, ...Object.fromEntries(sections), names, tools } };
}

/** First lines that speak of handles. */
const NOTED =
  /^\[Note on the earlier conversation: (\d+) messages.* Recall a handle such as \S+ for the exact text\.\]$/;
const SHORT = /^\[(\d+) earlier messages were taken out: recall a handle such as \S+\]$/;
const WAY_BACK = /^\[For the exact text recall a handle such as .*\]$/;

/** A note's text without its handles, for logs that kept them although the model could not recall. Pure and idempotent. */
export function withoutHandles(note: string): string {
  const lines = note.split('\n');
  const at = lines.findIndex((line) => NOTED.test(line) || SHORT.test(line) || WAY_BACK.test(line));
  const first = lines[at];
  if (first === undefined) return note;
  const [, count] = NOTED.exec(first) ?? SHORT.exec(first) ?? [];
  const head = count === undefined ? [] : [plainFirstLine(Number(count))];
  return [...lines.slice(0, at), ...head, ...lines.slice(at + 1).map((line) => line.replace(PLACE, ''))].join('\n');
}
