import { isAbsolute, relative, resolve, sep } from 'node:path';
import { configPlaces, isConfigName } from '../../config/config-names.ts';
import { trustFile, userConfigFile } from '../../config/own-folder.ts';
import { folded } from '../files/path-rules.ts';
import { realPath } from '../files/real-path.ts';
import type { Judge } from '../scope/judge.ts';
import { createGuard, type Guard } from './guard-files.ts';

/**
 * The paths from the workspace of files and folders that no tool may write, and where they lead if they are symlinks. One outside
 * of it is left out: no tool for files gets there.
 */
export function pathsInside(root: string, files: readonly string[]): string[] {
  const paths = files.flatMap((file) => {
    const named = resolve(root, file);
    return [named, realPath(named)];
  });
  const inside = paths.map((path) => relative(root, path)).filter((path) => path !== '' && !isOutside(path));
  return [...new Set(inside.map((path) => path.split(sep).join('/')))];
}

/** Whether a relative path leads out. Pure. */
export function isOutside(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** Whether a path is one of some, or lies in one of them, in any spelling. Pure. */
export function matchBelow(paths: readonly string[]): (path: string) => boolean {
  const all = paths.map(folded);
  return (path) => {
    const plain = all.length === 0 ? '' : folded(path);
    return all.some((one) => plain === one || plain.startsWith(`${one}/`));
  };
}

/** Whether a path is configuration: one of these, or any file with the name of one. Pure. */
export function matchConfig(paths: readonly string[]): (path: string) => boolean {
  const isNamed = matchBelow(paths);
  return (path) => isConfigName(path) || isNamed(path);
}

/** A judge that lets nobody write what tells Holdfast what to do, and leaves all else to `judge`. Pure. */
export function protecting(isConfig: (path: string) => boolean, judge: Judge): Judge {
  return (path, access) => (access === 'write' && isConfig(path) ? refusalOf(path) : judge(path, access));
}

/** Why a file that tells Holdfast what to do is not written. Pure. */
export function refusalOf(path: string): string {
  return `${path} tells holdfast what to do: it may not be written`;
}

/**
 * Guards what the next run obeys while commands run: these files (from the workspace, or absolute), every configuration here and in the folders
 * above, the user's own, and what they trust.
 */
export function guardConfig(
  root: string,
  paths: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Guard {
  const named = [
    ...paths.map((path) => resolve(root, path)),
    ...configPlaces(root),
    userConfigFile(env),
    trustFile(env),
  ];
  return createGuard([...new Set(named.flatMap((path) => [path, realPath(path)]))]);
}
