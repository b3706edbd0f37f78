import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { realPath } from '@holdfast/agent/internal';
import { WrongUse } from './failure.ts';
import { openFolder } from './home.ts';

/**
 * Replaces a file atomically, readable only by its owner; follows a symlink. Throws WrongUse; `loss` says what the user should
 * know then.
 */
export function writePrivate(file: string, text: string, loss: string): void {
  openFolder(dirname(file));
  const target = realPath(file);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    const fd = openSync(temporary, 'w', 0o600);
    try {
      fchmodSync(fd, 0o600);
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`cannot write ${file} (${code}): ${loss}`, error);
  }
}
