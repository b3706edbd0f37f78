import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { realPath } from '@holdfast/agent/tools';
import { orWrongUse } from './failure.ts';
import { openFolder } from './home.ts';

/**
 * Replaces a file atomically, readable only by its owner; follows a symlink. Throws WrongUse; `loss` says what the user should
 * know then.
 */
export function writePrivate(file: string, text: string, loss: string): void {
  openFolder(dirname(file));
  const target = realPath(file);
  const temporary = `${target}.${process.pid}.tmp`;
  orWrongUse(`write ${file}`, loss, () => {
    // One that was left behind may have another mode.
    rmSync(temporary, { force: true });
    try {
      writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
      renameSync(temporary, target);
    } finally {
      rmSync(temporary, { force: true });
    }
  });
}

const PAUSE_MS = 10;
/** A change takes milliseconds, so a lock older than this belongs to a killed process. */
const MOST_MS = 2_000;

/** Makes one change of a file at a time, so that no process restores what another removed, or loses what it added. */
export function locked<T>(file: string, change: () => T): T {
  const lock = `${file}.lock`;
  openFolder(dirname(lock));
  while (!tryLock(lock)) {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Math.abs(Date.now() - since) > MOST_MS) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
  try {
    return change();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600));
    return true;
  } catch (error) {
    // If the folder is not writable, the change itself reports it.
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}
