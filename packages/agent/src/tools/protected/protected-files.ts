import { isAbsolute, relative, resolve, sep } from 'node:path';
import { configPlaces, isConfigName, trustFile, userConfigFile } from '../../config/files.ts';
import { matchBelow } from '../files/path-rules.ts';
import { realPath } from '../files/real-path.ts';
import { type Judge, type Scope, scopeJudge } from '../scope/judge.ts';
import { OUT_OF_REACH } from '../search/tree.ts';
import { createGuard, type Guard } from './guard-files.ts';

/** Relative paths of these files and folders and of their symlink targets, without those outside the workspace. */
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

/** Matches configuration: these paths, and any file named like one. Pure. */
export function matchConfig(paths: readonly string[]): (path: string) => boolean {
  const isNamed = matchBelow(paths);
  return (path) => isConfigName(path) || isNamed(path);
}

/** Denies all access to `hidden` paths and writes to configuration, and leaves the rest to the scope. Pure. */
export function fileJudge(hidden: readonly string[], isConfig: (path: string) => boolean, scope?: Scope): Judge {
  const isHidden = matchBelow(hidden);
  const judge = scopeJudge(scope);
  return (path, access) => {
    if (isHidden(path)) return `${path} is out of reach: ${OUT_OF_REACH}`;
    return access === 'write' && isConfig(path) ? refusalOf(path) : judge(path, access);
  };
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
