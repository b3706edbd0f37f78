import { isAbsolute, relative, resolve, sep } from 'node:path';
import { realPath } from '../tools/files/real-path.ts';

/** True if a path is in a folder, or is the folder, after resolving symlinks. Neither need exist. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(realPath(resolve(folder)), realPath(resolve(path)));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
