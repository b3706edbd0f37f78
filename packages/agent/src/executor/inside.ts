import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** True if a path lies in a folder, or is it, behind all symlinks. Neither need be there. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(realPath(resolve(folder)), realPath(resolve(path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of what is there of it, and the rest as it stands. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}
