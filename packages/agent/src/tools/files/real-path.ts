import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../../attempt.ts';

const HOPS = 40;

/** Resolves all symlinks, also for a path that does not exist yet: where a write would end up. Never throws. */
export function realPath(path: string, hops = HOPS): string {
  const real = attempt(() => realpathSync(path));
  if (real !== undefined) return real;
  if (dirname(path) === path || hops === 0) return path;
  const named = join(realPath(dirname(path), hops - 1), basename(path));
  const target = linkTarget(named);
  return target === undefined ? named : realPath(resolve(dirname(named), target), hops - 1);
}

/** The target of a symlink, or undefined for anything else. Never throws. */
export function linkTarget(path: string): string | undefined {
  return attempt(() => readlinkSync(path));
}
