import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseTask, type Task } from '@holdfast/agent';
import { WrongUse } from '../failure.ts';

const MOST_BYTES = 1_000_000;
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: pass the path of a markdown task file',
  EISDIR: 'is a folder: pass the path of a markdown task file',
  EACCES: 'cannot be read: change its permissions',
};

/** Reads a task file. Throws WrongUse or BAD_CONFIG. */
export function readTask(cwd: string, path: string): Task {
  const full = resolve(cwd, path);
  try {
    if (statSync(full).size > MOST_BYTES)
      throw new WrongUse(
        `${path} is over ${MOST_BYTES} bytes, too long for a task: describe the work, and name large inputs by their path`,
      );
    const text = readFileSync(full, 'utf8');
    if (text.includes('\0')) throw new WrongUse(`${path} is not a text file: pass the path of a markdown task file`);
    return parseTask(text, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === undefined ? undefined : REASONS[code];
    if (reason === undefined) throw error;
    throw new WrongUse(`${path} ${reason}`, error);
  }
}
