import { HoldfastError } from 'holdfast';
import type { Scope } from '../tools/scope/judge.ts';
import { type MarkdownLine, markdownLines } from '../tools/scope/markdown.ts';
import { parseScope } from '../tools/scope/scope.ts';

/** A parsed task file. Plain data. */
export interface Task {
  readonly title: string;
  readonly goal: string;
  readonly type?: string;
  readonly roles: readonly string[];
  readonly scope: Scope;
  readonly requirements: string;
  readonly definitionOfDone: readonly string[];
  /** The whole text, as the model gets it. */
  readonly text: string;
  /** What could not be understood. */
  readonly warnings: readonly string[];
}

/**
 * Reads a task in markdown: Goal, Type (or Task Type), Suggested Roles, Scope, Requirements, Definition of Done. `name` is for
 * messages. Throws BAD_CONFIG if it is empty, or its scope cannot be understood. Pure.
 */
export function parseTask(text: string, name = 'the task'): Task {
  const plain = text.replace(/^\ufeff/, '');
  if (plain.trim() === '') throw new HoldfastError('BAD_CONFIG', `${name} is empty: say what to do under "## Goal"`);
  const { lines } = markdownLines(plain);
  const sections = sectionsOf(lines);
  const section = (...names: readonly string[]) =>
    names.map((one) => sections.get(one)).find((found) => found !== undefined) ?? '';
  const title = titleOf(lines);
  const goal = section('goal', 'objective');
  const scope = parseScope(plain, name);
  const warnings = [
    ...(goal === '' ? [`${name} has no "## Goal": using the whole text`] : []),
    ...scope.problems.map((problem) => `${name}, scope: ${problem}`),
  ];
  const type = section('task type', 'type').split('\n')[0]?.trim() ?? '';
  return {
    title: title || firstLine(goal || plain),
    goal: goal || plain.trim(),
    ...(type === '' ? {} : { type }),
    roles: entriesOf(section('suggested roles', 'roles', 'role')),
    scope,
    requirements: section('requirements'),
    definitionOfDone: entriesOrLines(section('definition of done')),
    text: plain.trim(),
    warnings,
  };
}

function titleOf(lines: readonly MarkdownLine[]): string {
  const title = lines.find((line) => line.type === 'heading' && line.level === 1);
  return title?.type === 'heading' ? title.text.replace(/^TASK:?\s*/i, '') : '';
}

/** The text under each second-level heading, by its name in lowercase. */
function sectionsOf(lines: readonly MarkdownLine[]): Map<string, string> {
  const sections = new Map<string, string[]>();
  let texts: string[] | undefined;
  for (const line of lines) {
    if (line.type !== 'heading' || line.level !== 2) texts?.push(line.raw);
    else {
      const key = line.text
        .toLowerCase()
        .replace(/[*_`:]/g, '')
        .trim();
      texts = sections.get(key) ?? [];
      sections.set(key, texts);
    }
  }
  return new Map([...sections].map(([key, found]) => [key, found.join('\n').trim()]));
}

/** The entries of a list, without their marks and boxes. */
function entriesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*\S)/.exec(line)?.[1] ?? []);
}

/**
 * The entries of a list, with what is indented under them and code blocks between them; or the lines of a text without a list.
 */
function entriesOrLines(text: string): string[] {
  const { lines } = markdownLines(text);
  const isList = lines.some(({ type }) => type === 'item');
  const entries: string[] = [];
  for (const line of lines) {
    if (line.type === 'heading' || line.type === 'mark') continue;
    const said = line.type === 'row' ? line.raw.trim() : line.text.replace(/^\[[ xX]\]\s+/, '');
    const isCode = line.type === 'code';
    if (said === '' || (isCode && said.startsWith('#'))) continue;
    const shown = isCode && isList ? spanOf(said) : said;
    const isInside = isList && entries.length > 0 && line.type !== 'item' && /^ {2}|^\t/.test(line.raw);
    if (isInside) entries.push(`${entries.pop()} ${shown}`);
    else if (!isList || isCode || line.type === 'item') entries.push(shown);
  }
  return entries;
}

function spanOf(code: string): string {
  const marks = '`'.repeat(1 + Math.max(0, ...[...code.matchAll(/`+/g)].map(([run]) => run.length)));
  return `${marks}${code}${marks}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
