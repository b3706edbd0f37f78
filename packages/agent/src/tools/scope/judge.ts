import { folded } from '../files/path-rules.ts';
import { glob, type Match } from '../search/glob.ts';

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
  /** What somebody should be told of: a list without entries, one that stands elsewhere. */
  readonly problems: readonly string[];
}

/** Why a path may not be read or written, naming the rule; undefined if it may. */
export type Judge = (path: string, access: 'read' | 'write') => string | undefined;

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
