import { HoldfastError } from 'holdfast';
import { parseScope, type Scope } from '../tools/scope.ts';

/** A task file, read. Plain data. */
export interface Task {
  readonly title: string;
  readonly goal: string;
  readonly type?: string;
  readonly roles: readonly string[];
  readonly scope: Scope;
  readonly requirements: string;
  readonly definition_of_done: readonly string[];
  /** The whole text, as the model gets it. */
  readonly text: string;
  /** What could not be understood, for somebody to look at. */
  readonly warnings: readonly string[];
}

/**
 * Reads a task in markdown: Goal, Type (or Task Type), Suggested Roles, Scope, Requirements, Definition of Done. `name` is for
 * messages. Throws BAD_CONFIG if there is nothing to do in it. Pure.
 */
export function parseTask(text: string, name = 'the task'): Task {
  const plain = text.replace(/^\ufeff/, '');
  if (plain.trim() === '')
    throw new HoldfastError('BAD_CONFIG', `${name} is empty: write what is to be done under "## Goal"`);
  const sections = sectionsOf(plain);
  const section = (...names: readonly string[]) =>
    names.map((one) => sections.get(one)).find((found) => found !== undefined) ?? '';
  const title = /^#\s+(?:TASK:?\s*)?(.*\S)\s*$/im.exec(plain)?.[1] ?? '';
  const goal = section('goal', 'objective');
  const scope = parseScope(plain);
  const warnings = [
    ...(goal === '' ? [`${name} has no "## Goal": the whole text is taken for it`] : []),
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
    definition_of_done: entriesOf(section('definition of done')),
    text: plain.trim(),
    warnings,
  };
}

/** The text under each heading of the second level, by its name in small letters. Fenced code has no headings. */
function sectionsOf(text: string): Map<string, string> {
  const sections = new Map<string, string[]>();
  let lines: string[] | undefined;
  let fenced = false;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    const heading = fenced ? undefined : /^##\s+(.*?)\s*#*:?\s*$/.exec(line)?.[1];
    if (heading === undefined) lines?.push(line);
    else {
      const key = heading.toLowerCase().replace(/[*_`:]/g, '');
      lines = sections.get(key) ?? [];
      sections.set(key, lines);
    }
  }
  return new Map([...sections].map(([key, found]) => [key, found.join('\n').trim()]));
}

/** The entries of a list, without their marks and boxes. */
function entriesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*\S)/.exec(line)?.[1] ?? []);
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
