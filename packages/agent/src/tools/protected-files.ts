import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { folded } from './path-rules.ts';
import type { Judge } from './scope-judge.ts';
import type { Workspace } from './workspace.ts';

const COPY_BYTES = 10 * 2 ** 20;

/**
 * The paths from the workspace of files that no tool may write, and where they lead if they are symlinks. One outside of it
 * is left out: no tool for files gets there.
 */
export function protectedPaths(root: string, files: readonly string[]): string[] {
  const paths = files.flatMap((file) => {
    const named = resolve(root, file);
    return [named, real(named)];
  });
  const inside = paths.map((path) => relative(root, path)).filter((path) => path !== '' && !isOutside(path));
  return [...new Set(inside.map((path) => path.split(sep).join('/')))];
}

function isOutside(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It is not there, or not yet; its folder may be a symlink all the same.
    const parent = resolve(path, '..');
    return parent === path ? path : join(real(parent), path.slice(parent.length));
  }
}

/** A judge that refuses to let these files be written, in any spelling, and leaves all else to `judge`. Pure. */
export function protecting(paths: readonly string[], judge: Judge): Judge {
  const kept = new Set(paths.map(folded));
  return (path, access) =>
    access === 'write' && kept.has(folded(path))
      ? `${path} tells this run what to do: it may not be written`
      : judge(path, access);
}

/** A protected file that was changed, and whether it is as it was again. */
export interface PutBack {
  readonly path: string;
  readonly reverted: boolean;
}

/** Keeps these files as they are now; the function that it gives puts back those that have changed since. Never throws. */
export function guardFiles(workspace: Workspace, paths: readonly string[]): () => PutBack[] {
  const before = paths.map((path) => ({ path, was: contentOf(workspace, path) }));
  return () =>
    before.flatMap(({ path, was }) =>
      same(was, contentOf(workspace, path)) ? [] : [{ path, reverted: restore(workspace, path, was) }],
    );
}

interface Content {
  readonly real: string;
  readonly bytes: Buffer;
  readonly mode: number;
}

function contentOf(workspace: Workspace, path: string): Content | undefined {
  try {
    const { path: found, bytes } = workspace.read(path, () => {}, COPY_BYTES);
    return { real: found, bytes, mode: statSync(join(workspace.root.path, found)).mode & 0o777 };
  } catch {
    return undefined;
  }
}

function same(one: Content | undefined, other: Content | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.real === other.real && one.bytes.equals(other.bytes);
}

function restore(workspace: Workspace, path: string, was: Content | undefined): boolean {
  // What was behind a symlink is put back under its own name, the symlink is not.
  if (was !== undefined && was.real !== path) return false;
  try {
    workspace.remove(path);
  } catch {
    // It was removed, or a folder is in its place; then the next step fails.
  }
  try {
    if (was !== undefined) workspace.write(path, () => {}, was.bytes, was.mode);
    return same(was, contentOf(workspace, path));
  } catch {
    return false;
  }
}
