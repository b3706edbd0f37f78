import { HoldfastError } from 'holdfast';
import { glob, type Match } from './glob.ts';
import { folded } from './path-rules.ts';
import { readEntry } from './scope-entry.ts';
import { type ScopeLists, scopeLists } from './scope-text.ts';

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
  /** What is allowed in words that cannot be understood. It allows nothing; somebody should be told. */
  readonly problems: readonly string[];
}

const NONE = /^[*_(]*(?:none|nothing|n\/a|-)[*_)]*\.?$/i;
/** With a list of what is allowed, this is what holds anyway. */
const REST =
  /^(?:everything|anything|all|any)? ?(?:else|(?:the )?others?|the rest|other (?:files|paths|folders)|not (?:listed|named|allowed)(?: above)?)\.?$/i;
const ADVICE =
  'write a path or a glob from the workspace, such as src/a.ts or src/**, in backticks if a space is in it, and remarks in brackets';

/** Why a path may not be read or written, naming the rule; undefined if it may. */
export type Judge = (path: string, access: 'read' | 'write') => string | undefined;

/**
 * Reads what a task allows and forbids, or takes the entries of both as lists; `name` is for messages. Throws BAD_CONFIG for
 * what is forbidden in words that cannot be understood, and for a scope of which no rule can be read: it would not hold. Pure.
 */
export function parseScope(
  task: string | { readonly allowed?: readonly string[]; readonly forbidden?: readonly string[] },
  name = 'the task',
): Scope {
  const lists: ScopeLists = typeof task === 'string' ? scopeLists(task) : { ...task, errors: [], problems: [] };
  const errors = [...lists.errors];
  const problems = [...lists.problems];
  const forbidden: ScopeRule[] = [];
  const allowed: ScopeRule[] = [];
  const said = (entries: readonly string[] = []) => entries.filter((text) => !NONE.test(text));
  for (const text of said(lists.forbidden)) {
    if (lists.allowed && REST.test(text)) continue;
    const read = readEntry(text, true);
    if (read && read.excluded.length === 0)
      forbidden.push({ text, patterns: read.patterns, read_only: read.read_only });
    else errors.push(`Forbidden "${text}" cannot be understood; ${ADVICE}`);
  }
  for (const text of said(lists.allowed)) {
    const read = readEntry(text, false);
    if (!read) problems.push(`Allowed "${text}" cannot be understood and allows nothing; ${ADVICE}`);
    else {
      const { patterns, excluded, read_only } = read;
      if (patterns.length > 0) allowed.push({ text, patterns, read_only });
      if (excluded.length > 0) forbidden.push({ text, patterns: excluded, read_only });
    }
  }
  if (lists.allowed?.length === 0)
    problems.push('Allowed has no entry, so that nothing may be written; name paths, or leave it out');
  if (errors.length > 0)
    throw new HoldfastError('BAD_CONFIG', errors.map((error) => `${name}, scope: ${error}`).join('\n'));
  return { ...(lists.allowed === undefined ? {} : { allowed }), forbidden, problems };
}

/** Makes a scope ready to be asked. Forbidden entries fit any spelling of a file, allowed ones the exact one. Pure. */
export function scopeJudge(scope: Scope | undefined): Judge {
  const any = (rules: readonly ScopeRule[], shape: (text: string) => string, below?: true) =>
    rules.map((one) => {
      const matches: Match[] = one.patterns.flatMap((pattern) => [
        glob(shape(pattern), below),
        asItStands(shape(pattern)),
      ]);
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

/** Some frameworks have names such as `[id].ts`. */
function asItStands(pattern: string): Match {
  const path = pattern.replace(/\/+$/, '');
  return (other) => other === path || other.startsWith(`${path}/`);
}
