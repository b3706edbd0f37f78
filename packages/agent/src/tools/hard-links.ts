import { type BigIntStats, closeSync, lstatSync } from 'node:fs';
import { at, openRoot, type Root } from './folder.ts';
import { type Scope, scopeJudge } from './scope-judge.ts';
import { entriesBelow } from './tree.ts';

/** Why an open file may not be shown: it has another name, and that is Forbidden. Undefined if it may. */
export type LinkJudge = (opened: BigIntStats) => string | undefined;

/**
 * Judges files that have more than one name. The workspace is gone through for Forbidden files each time that one comes,
 * or with `once` the first time only.
 */
export function linkJudge(root: Root, scope: Scope | undefined, ignored: readonly string[], once = false): LinkJudge {
  if (!scope?.forbidden.some((rule) => !rule.read_only)) return () => undefined;
  let known: ReadonlyMap<string, string> | undefined;
  return (opened) => {
    if (opened.nlink <= 1n) return undefined;
    if (!once || known === undefined) known = forbiddenFiles(root, scope, ignored);
    return known.get(idOf(opened));
  };
}

function forbiddenFiles(root: Root, scope: Scope, ignored: readonly string[]): Map<string, string> {
  const judge = scopeJudge(scope);
  const patterns = scope.forbidden.flatMap((rule) => rule.patterns);
  const left_out = ignored.filter((name) => !patterns.some((one) => one.startsWith('*') || one.includes(name)));
  const found = new Map<string, string>();
  const top = openRoot(root);
  try {
    for (const { folder, name, path, kind } of entriesBelow(top, left_out)) {
      const rule = kind === 'file' ? judge(path, 'read') : undefined;
      const seen = rule && lstatSync(at(folder, name), { bigint: true, throwIfNoEntry: false });
      if (rule && seen && seen.nlink > 1n) found.set(idOf(seen), rule);
    }
  } finally {
    closeSync(top.fd);
  }
  return found;
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}
