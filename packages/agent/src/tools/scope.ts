import { alternatives, glob, type Match } from './glob.ts';
import { folded } from './path-rules.ts';

/** One entry of a scope. */
export interface ScopeRule {
  /** The entry as it stands in the task. */
  readonly text: string;
  /** Paths or globs from the workspace; a folder stands for all that is in it. */
  readonly patterns: readonly string[];
  /** What the entry says in brackets makes it so: "(read-only)", "(read for types)". */
  readonly read_only: boolean;
}

/** What a task may touch. Plain data. */
export interface Scope {
  /** Undefined: everything that is not forbidden. */
  readonly allowed?: readonly ScopeRule[];
  readonly forbidden: readonly ScopeRule[];
  /** Entries of which no path could be read. They allow nothing; somebody should be told. */
  readonly problems: readonly string[];
}

/** Why a path may not be read or written, naming the rule; undefined if it may. */
export type Judge = (path: string, access: 'read' | 'write') => string | undefined;

/**
 * Reads "### Allowed" and "### Forbidden" of a task's text, or takes the entries of both as lists. Pure.
 */
export function parseScope(
  task: string | { readonly allowed?: readonly string[]; readonly forbidden?: readonly string[] },
): Scope {
  const { allowed, forbidden } =
    typeof task === 'string' ? { allowed: section(task, 'Allowed'), forbidden: section(task, 'Forbidden') } : task;
  const problems: string[] = [];
  const rules = (entries: readonly string[]) =>
    entries.filter((text) => !/^\(?(?:none|nothing|n\/a|-)\)?\.?$/i.test(text)).flatMap((text) => rule(text, problems));
  return {
    ...(allowed === undefined ? {} : { allowed: rules(allowed) }),
    forbidden: rules(forbidden ?? []),
    problems,
  };
}

// Some write the two words in bold, or with a colon, in place of a heading.
const HEADING = /^#{1,6}\s+(.*?)\s*#*\s*$|^\s*(?:\*\*|__)?((?:Allowed|Forbidden):?)(?:\*\*|__)?:?\s*$/i;

/** The entries of a list under a heading; undefined if there is none. Fenced code is no heading. */
function section(task: string, title: string): string[] | undefined {
  let entries: string[] | undefined;
  let inside = false;
  let fenced = false;
  for (const line of task.split(/\r?\n/)) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const heading = HEADING.exec(line)
      ?.slice(1)
      .find((found) => found !== undefined);
    if (heading !== undefined)
      inside = entries === undefined && heading.replace(/[:*]/g, '').trim().toLowerCase() === title.toLowerCase();
    else if (inside) {
      const entry = /^\s*(?:[-*+]|\d+[.)])\s+(.*\S)/.exec(line)?.[1];
      if (entry !== undefined) entries = [...(entries ?? []), entry];
    }
    if (heading !== undefined && inside) entries = [];
  }
  return entries;
}

function rule(text: string, problems: string[]): ScopeRule[] {
  const quoted = [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
  const plain = text.replace(/^\*\*([^*]+)\*\*/, '$1');
  const remark = quoted.length > 0 ? text.replace(/`[^`]*`/g, '') : (/(?:\s+[(—–#-]|:\s).*$/.exec(plain)?.[0] ?? '');
  const bare = plain.slice(0, plain.length - remark.length).split(/\s+and\s+/);
  const patterns = quoted.length > 0 ? quoted : bare.flatMap(alternatives).map((one) => one.trim().replace(/:$/, ''));
  if (!patterns.every((pattern) => isPath(pattern) && (quoted.length > 0 || !/\s/.test(pattern)))) {
    problems.push(`${text}: no path could be read of it; write a path or a glob from the workspace, such as src/**`);
    return [];
  }
  const read_only = /\(\s*read\b|\bread[- ]only\b/i.test(remark);
  return [{ text, patterns: patterns.map((one) => one.replace(/^\.\//, '')), read_only }];
}

function isPath(pattern: string): boolean {
  if (pattern === '' || /^[/~]|\\|^[a-z]:/i.test(pattern) || pattern.split('/').includes('..')) return false;
  try {
    glob(pattern);
    return true;
  } catch {
    return false;
  }
}

/** Makes a scope ready to be asked. Forbidden entries fit any spelling of a file, allowed ones the exact one. Pure. */
export function scopeJudge(scope: Scope | undefined): Judge {
  const any = (rules: readonly ScopeRule[], shape: (text: string) => string, below?: true) =>
    rules.map((one) => {
      const matches: Match[] = one.patterns.map((pattern) => glob(shape(pattern), below));
      return { ...one, fits: (path: string) => matches.some((match) => match(shape(path))) };
    });
  const forbidden = any(scope?.forbidden ?? [], folded, true);
  const allowed = scope?.allowed && any(scope.allowed, (text) => text);
  return (path, access) => {
    // A hook or a setting of git runs programs outside of any tool.
    if (access === 'write' && folded(path).split('/').includes('.git'))
      return `${path} is git's own: only git changes it`;
    const barrier = forbidden.find((one) => one.fits(path) && (access === 'write' || !one.read_only));
    if (barrier) {
      return access === 'write'
        ? `${path} is Forbidden by the task's scope ("${barrier.text}"): it may not be written`
        : `${path} is Forbidden by the task's scope ("${barrier.text}", which is not marked read-only): it may not be read`;
    }
    if (access === 'read' || allowed === undefined || allowed.some((one) => !one.read_only && one.fits(path)))
      return undefined;
    const reading = allowed.find((one) => one.fits(path));
    if (reading) return `${path} is Allowed by the task's scope only for reading ("${reading.text}")`;
    return `${path} is outside the task's scope: Allowed is ${allowed.map((one) => `"${one.text}"`).join(', ') || 'nothing'}`;
  };
}
