import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { stateFolder } from '@holdfast/agent/config';
import type { Context } from './context.ts';
import { WrongUse } from './failure.ts';

/** The folder for what runs leave behind: `HOLDFAST_HOME`, otherwise `~/.holdfast`. It need not be there. */
export function homeOf({ cwd, env }: Pick<Context, 'cwd' | 'env'>): string {
  return stateFolder(env, cwd);
}

/** One folder at a time: `recursive` never comes back where the system says that what cannot be made is missing, as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Makes that folder, for its owner alone: conversations lie in it. Throws WrongUse if it cannot be made. */
export function openHome(context: Pick<Context, 'cwd' | 'env'>): string {
  return openFolder(homeOf(context));
}

/** Makes a folder for its owner alone, if need be. Throws WrongUse. */
export function openFolder(folder: string): string {
  try {
    makeFolder(folder);
    return folder;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const advice = 'set HOLDFAST_HOME to a folder you can write to';
    throw new WrongUse(`cannot create ${folder} (${code}): ${advice}`, error);
  }
}
