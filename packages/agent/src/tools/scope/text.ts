import { readEntry } from './entry.ts';
import { headingLabel, isScopeHeading, type Label, lineLabel } from './label.ts';
import { type MarkdownLine, markdownLines } from './markdown.ts';

/** The unparsed entries of a task's scope. */
export interface ScopeLists {
  /** Undefined if the task has no such list. */
  readonly allowed?: readonly string[] | undefined;
  readonly forbidden?: readonly string[] | undefined;
  /** Problems that must be fixed, because the scope could not be enforced as written. */
  readonly errors: readonly string[];
  /** Problems worth a warning. */
  readonly problems: readonly string[];
}

interface Section {
  /** Undefined: inside the scope, under no label. */
  readonly label: Label | undefined;
  readonly level: number;
  readonly endsAtBlank: boolean;
  readonly entries: string[];
}

/** Deeper than any heading. */
const IN_LINE = 7;
const WRITE = 'write "### Allowed" and "### Forbidden" below "## Scope", each with a list of paths such as src/**';

/**
 * Finds the Allowed and Forbidden lists of a task: under headings, after labels, in tables, in code blocks below such a
 * heading. If there is a "Scope" heading, they must be below it or under headings of its level. Pure.
 */
export function scopeLists(task: string): ScopeLists {
  const { lines, unclosed } = markdownLines(task);
  const errors: string[] = [];
  const problems: string[] = [];
  const hidden = lines.find((line) => line.type === 'code' && hidesScope(line.text));
  if (unclosed !== undefined && hidden)
    errors.push(
      `the code block at line ${unclosed} is never closed, so it is unclear whether line ${hidden.line} ("${hidden.raw.trim()}") counts; close it`,
    );
  const { sections, misplaced, hasScope } = sectionsOf(lines);
  const labelled = (list: Label['list']) => sections.filter(({ label }) => label?.list === list);
  for (const { list, line } of misplaced) {
    const name = list === 'allowed' ? 'Allowed' : 'Forbidden';
    const said = `line ${line}: this ${name} is outside "## Scope"; move it there, or rename the heading`;
    (list === 'forbidden' || labelled('allowed').length === 0 ? errors : problems).push(said);
  }
  const loose = sections.filter(({ label }) => label === undefined).flatMap(({ entries }) => entries);
  const lost = loose.find((entry) => /[/*`]|\.\w/.test(entry) && readEntry(entry, true) !== undefined);
  const found = sections.some(({ label }) => label !== undefined);
  if (lost !== undefined) errors.push(`"${lost}" is under neither Allowed nor Forbidden; ${WRITE}`);
  else if (!found && loose.length > 0) errors.push(`"${loose[0]}" contains no readable rule; ${WRITE}`);
  if (!found && !hasScope && hidden && errors.length === 0)
    problems.push(`line ${hidden.line} ("${hidden.raw.trim()}") is in a code block and was ignored`);
  const entries = (list: Label['list']) =>
    labelled(list).length === 0 ? undefined : labelled(list).flatMap(entriesOf);
  return { allowed: entries('allowed'), forbidden: entries('forbidden'), errors, problems };
}

function hidesScope(text: string): boolean {
  const heading = /^#{1,6}\s+(.*)/.exec(text)?.[1];
  return heading !== undefined && (isScopeHeading(heading) || headingLabel(heading, false) !== undefined);
}

/** Entries marked by their label, without lines that only introduce the next one ("Do not touch:"). */
function entriesOf({ label, entries }: Section): string[] {
  return entries
    .filter((entry, at) => at === entries.length - 1 || !/\s.*:$/.test(entry) || /[/*`]|\.\w/.test(entry))
    .map((entry) => (label?.readOnly && !/read[- ]only/i.test(entry) ? `${entry} (read-only)` : entry));
}

function sectionsOf(lines: readonly MarkdownLine[]) {
  const scopes = lines.flatMap((line) => (line.type === 'heading' && isScopeHeading(line.text) ? [line.level] : []));
  const hasScope = scopes.length > 0;
  const sections: Section[] = [];
  const misplaced: { list: Label['list']; line: number }[] = [];
  let scope: number | undefined;
  let section: Section | undefined;
  let columns: readonly string[] = [];
  const begin = (label: Section['label'], level: number, rest = '') => {
    const endsAtBlank = level === IN_LINE && rest !== '';
    section = { label, level, endsAtBlank, entries: rest === '' ? [] : [rest] };
    sections.push(section);
  };
  for (const line of lines) {
    if (line.type !== 'row' && line.raw.trim() !== '' && !line.raw.includes('|')) columns = [];
    if (line.type === 'mark') {
      // A blank line after "Forbidden: src/a.ts" ends the list.
      if (line.raw.trim() === '' && section?.endsAtBlank) {
        section = undefined;
        if (scope !== undefined) begin(undefined, scope);
      }
      continue;
    }
    if (line.type === 'heading') {
      if (scope !== undefined && line.level <= scope) scope = undefined;
      if (section && (line.level <= section.level || scope === undefined)) section = undefined;
      if (scope === undefined && isScopeHeading(line.text)) {
        scope = line.level;
        begin(undefined, line.level);
        continue;
      }
      const label = headingLabel(line.text, scope !== undefined);
      if (label && hasScope && scope === undefined && line.level > Math.min(...scopes))
        misplaced.push({ list: label.list, line: line.line });
      else if (label) begin(label, line.level, label.rest);
      else if (scope !== undefined && !section?.label) begin(undefined, line.level);
    } else if (line.type === 'row') {
      if (line.header) columns = line.cells;
      else
        for (const { label, text } of cellsOf(line.cells, columns, scope !== undefined || !hasScope)) {
          if (label) sections.push({ label, level: IN_LINE, endsAtBlank: true, entries: [text] });
          else section?.entries.push(text);
        }
    } else {
      const label = (scope !== undefined || !hasScope) && line.type !== 'code' ? lineLabel(line.text) : undefined;
      if (label && (scope !== undefined || meansPaths(label))) begin(label, IN_LINE, label.rest);
      else if (line.type === 'more' && section?.entries.length)
        section.entries.push(`${section.entries.pop()} ${line.text}`);
      else section?.entries.push(line.type === 'code' ? line.text.replace(/^[-*+]\s+/, '') : line.text);
    }
  }
  for (const { entries } of sections) entries.splice(0, Infinity, ...entries.filter((entry) => entry.trim() !== ''));
  return { sections, misplaced, hasScope };
}

/** Outside a scope, "Allowed: three tries" is just a sentence. */
function meansPaths({ list, rest }: Label): boolean {
  return list === 'forbidden' || rest === '' || readEntry(rest, false) !== undefined;
}

/** Reads a table row: columns or one cell may be labels; otherwise one cell has the path and the others a remark. */
function cellsOf(
  cells: readonly string[],
  columns: readonly string[],
  labels: boolean,
): { label: Label | undefined; text: string }[] {
  const labelOf = (cell: string) => (labels ? headingLabel(cell, false) : undefined);
  const heads = columns.map(labelOf);
  if (heads.some((label) => label))
    return cells.map((text, at) => ({ label: heads[at], text })).filter(({ label, text }) => label && text !== '');
  const own = cells.map(labelOf);
  const at = own.findIndex((label) => label);
  const others = cells.filter((_, index) => index !== at);
  const names = columns.filter((_, index) => index !== at);
  const named = names.findIndex((cell) => /path|file|folder|director|glob/i.test(cell));
  const path = Math.max(0, named);
  const remark = others.filter((cell, index) => index !== path && cell !== '').join(', ');
  return [{ label: own[at], text: `${others[path] ?? ''}${remarked(remark)}` }];
}

function remarked(remark: string): string {
  if (remark === '') return '';
  if (/read[- ]only/i.test(remark)) return ' (read-only)';
  // With two paths in a row the meaning of the second is unclear, so the entry stays unreadable.
  return /^\S*[/*]\S*$|^\S+\.\w+$/.test(remark) ? ` ${remark}` : ` — ${remark}`;
}
