import { lstatSync, type Stats, unlinkSync } from 'node:fs';
import { errorCode } from '../failure.ts';
import { entriesBelow } from '../search/tree.ts';
import { at, type Folder, verify } from './folder.ts';
import { isTemporary, makerOf } from './temporary-name.ts';

const DAY_MS = 86_400_000;

/** Removes temporary files left behind by killed processes. Never throws for a file or a folder. */
export function removeLeftBehind(top: Folder, ignored: readonly string[], isHidden: (path: string) => boolean): void {
  for (const { folder, name, kind } of entriesBelow(top, ignored, { isHidden, temporaries: true })) {
    if (kind !== 'file' || !isTemporary(name)) continue;
    try {
      const found = lstatSync(at(folder, name));
      if (found.isFile() && isLeftBehind(name, found)) remove(folder, name);
    } catch {
      // Another process removed it, or this one lacks the permission.
    }
  }
}

function remove(folder: Folder, name: string): void {
  verify(folder);
  unlinkSync(at(folder, name));
}

/** A write takes an instant, so its file is abandoned once its process has ended, or after a day if nobody can tell. */
function isLeftBehind(name: string, { mtimeMs }: Stats): boolean {
  if (Date.now() - mtimeMs > DAY_MS) return true;
  const maker = makerOf(name);
  if (maker === undefined) return false;
  // In a container, a process often gets the id of its predecessor.
  return maker === process.pid ? mtimeMs < Date.now() - process.uptime() * 1_000 : !runs(maker);
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
