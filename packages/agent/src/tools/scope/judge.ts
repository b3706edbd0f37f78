import { folded } from '../files/path-rules.ts';
import { glob, type Match } from '../search/glob.ts';

/** One entry of a scope. */
export interface ScopeRule {
  /** The entry as written in the task. */
  readonly text: string;
  /** Paths or globs relative to the workspace; a folder includes everything in it. */
  readonly patterns: readonly string[];
  /** Set by a remark in brackets: "(read-only)", "(read for types)". */
  readonly readOnly: boolean;
}

/** What a task may touch. Plain data. */
export interface Scope {
  /** Undefined allows everything that is not forbidden. */
  readonly allowed?: readonly ScopeRule[];
  readonly forbidden: readonly ScopeRule[];
  /** Warnings: an empty list, a list in the wrong place. */
  readonly problems: readonly string[];
}

/** Why a path may not be read or written, with the rule; undefined if it may. */
export type Judge = (path: string, access: 'read' | 'write') => string | undefined;

/** Compiles a scope. Forbidden entries match any spelling of a file, allowed ones only the exact one. Pure. */
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
    // Git hooks and settings run programs outside of any tool.
    if (access === 'write' && folded(path).split('/').includes('.git'))
      return `${path} belongs to git: only git may change it`;
    const barrier = forbidden.find((one) => one.fits(path) && (access === 'write' || !one.readOnly));
    if (barrier) {
      return access === 'write'
        ? `${path} is Forbidden by the task's scope ("${barrier.text}"): it may not be written`
        : `${path} is Forbidden by the task's scope ("${barrier.text}", which is not marked read-only): it may not be read`;
    }
    if (access === 'read' || allowed === undefined || allowed.some((one) => !one.readOnly && one.fits(path)))
      return undefined;
    const reading = allowed.find((one) => one.fits(path));
    if (reading) return `${path} is Allowed by the task's scope for reading only ("${reading.text}")`;
    return `${path} is outside the task's scope: Allowed is ${allowed.map((one) => `"${one.text}"`).join(', ') || 'nothing'}`;
  };
}

/** Matches names such as `[id].ts` literally, too. */
function asItStands(pattern: string): Match {
  const path = pattern.replace(/\/+$/, '');
  return (other) => other === path || other.startsWith(`${path}/`);
}
