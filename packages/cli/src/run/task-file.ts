import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseTask, type Task } from '@holdfast/agent';
import { WrongUse } from '../failure.ts';

const MOST_BYTES = 1_000_000;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there: give the path of a task in markdown',
  EISDIR: 'is a folder: give the path of a task in markdown',
  EACCES: 'may not be read: change its permissions',
};

/** Reads a task file. Throws WrongUse or BAD_CONFIG with what to do. */
export function readTask(cwd: string, path: string): Task {
  const full = resolve(cwd, path);
  try {
    if (statSync(full).size > MOST_BYTES)
      throw new WrongUse(`${path} has over ${MOST_BYTES} bytes: that is no task, but what one may be about`);
    const text = readFileSync(full, 'utf8');
    if (text.includes('\0')) throw new WrongUse(`${path} is no text: give the path of a task in markdown`);
    return parseTask(text, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? undefined : REASONS[code];
    if (reason === undefined) throw error;
    throw new WrongUse(`${path} ${reason}`, error);
  }
}
