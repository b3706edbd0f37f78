import { isAbsolute, relative, resolve, sep } from 'node:path';
import { configPlaces, isConfigName, trustFile, userConfigFile } from '../../config/files.ts';
import { folded } from '../files/path-rules.ts';
import { realPath } from '../files/real-path.ts';
import type { Judge } from '../scope/judge.ts';
import { createGuard, type Guard } from './guard-files.ts';

/**
 * Relative paths of these files and folders, and of their symlink targets. Those outside the workspace are left out, because
 * no file tool gets there.
 */
export function pathsInside(root: string, files: readonly string[]): string[] {
  const paths = files.flatMap((file) => {
    const named = resolve(root, file);
    return [named, realPath(named)];
  });
  const inside = paths.map((path) => relative(root, path)).filter((path) => path !== '' && !isOutside(path));
  return [...new Set(inside.map((path) => path.split(sep).join('/')))];
}

/** True if a relative path leads out. Pure. */
export function isOutside(path: string): boolean {
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path);
}

/** Matches these paths and everything below them, in any spelling. Pure. */
export function matchBelow(paths: readonly string[]): (path: string) => boolean {
  const all = paths.map(folded);
  return (path) => {
    const plain = all.length === 0 ? '' : folded(path);
    return all.some((one) => plain === one || plain.startsWith(`${one}/`));
  };
}

/** Matches configuration: these paths, and any file named like one. Pure. */
export function matchConfig(paths: readonly string[]): (path: string) => boolean {
  const isNamed = matchBelow(paths);
  return (path) => isConfigName(path) || isNamed(path);
}

/** Denies writes to Holdfast's configuration and leaves the rest to `judge`. Pure. */
export function protecting(isConfig: (path: string) => boolean, judge: Judge): Judge {
  return (path, access) => (access === 'write' && isConfig(path) ? refusalOf(path) : judge(path, access));
}

/** Why configuration may not be written. Pure. */
export function refusalOf(path: string): string {
  return `${path} is holdfast configuration: tools may not write it`;
}

/**
 * Guards the configuration while commands run: these files (relative or absolute), every configuration file here and in the
 * folders above, the user's own, and the list of trusted folders.
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
