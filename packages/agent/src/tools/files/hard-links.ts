import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../attempt.ts';
import { type Scope, scopeJudge } from '../scope/judge.ts';
import { entriesBelow, OUT_OF_REACH, type TreeQuery } from '../search/tree.ts';
import { at, type Root } from './folder.ts';
import { walk } from './walk.ts';

/** Why an open file may not be shown: one of its other names is Forbidden. Undefined if it may. */
export type LinkJudge = (opened: BigIntStats) => string | undefined;

/** `unreachable`: absolute paths, in the workspace or not. */
type LinkRules = Pick<TreeQuery, 'root' | 'ignored' | 'scope'> & { readonly unreachable: readonly string[] };

/** Checks files with several names. Looks for Forbidden and unreachable files each time, or `once`: the first time. */
export function linkJudge({ root, scope, ignored, unreachable }: LinkRules, once = false): LinkJudge {
  const forbids = scope?.forbidden.some((rule) => !rule.readOnly) === true;
  let known: ReadonlyMap<string, string> | undefined;
  return (opened) => {
    if (opened.nlink <= 1n) return undefined;
    if (!once || known === undefined)
      known = new Map([...(forbids ? forbiddenFiles(root, scope, ignored) : []), ...filesOf(unreachable)]);
    return known.get(idOf(opened));
  };
}

/** All files at these paths that also have another name. */
function filesOf(paths: readonly string[]): [string, string][] {
  return paths.flatMap((path): [string, string][] => {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found?.isFile()) return found.nlink > 1n ? [[idOf(found), OUT_OF_REACH]] : [];
    const names = found?.isDirectory() ? attempt(() => readdirSync(path)) : [];
    return filesOf((names ?? []).map((name) => join(path, name)));
  });
}

function forbiddenFiles(root: Root, scope: Scope, ignored: readonly string[]): Map<string, string> {
  const judge = scopeJudge(scope);
  const patterns = scope.forbidden.flatMap((rule) => rule.patterns);
  const leftOut = ignored.filter((name) => !patterns.some((one) => one.startsWith('*') || one.includes(name)));
  const found = new Map<string, string>();
  walk(root, [], (top) => {
    for (const { folder, name, path, kind } of entriesBelow(top.folder, leftOut)) {
      const rule = kind === 'file' ? judge(path, 'read') : undefined;
      const seen = rule && lstatSync(at(folder, name), { bigint: true, throwIfNoEntry: false });
      if (rule && seen && seen.nlink > 1n) found.set(idOf(seen), rule);
    }
  });
  return found;
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
