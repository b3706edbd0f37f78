import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Context } from './context.ts';
import { WrongUse } from './failure.ts';

/** The folder for what runs leave behind: `HOLDFAST_HOME`, otherwise `~/.holdfast`. It need not be there. */
export function homeOf({ cwd, env }: Pick<Context, 'cwd' | 'env'>): string {
  const { HOLDFAST_HOME } = env;
  return HOLDFAST_HOME ? resolve(cwd, HOLDFAST_HOME) : join(env.HOME || homedir(), '.holdfast');
}

/** Makes that folder, for its owner alone: conversations lie in it. Throws WrongUse if it cannot be made. */
export function openHome(context: Pick<Context, 'cwd' | 'env'>): string {
  const home = homeOf(context);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return home;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`${home} cannot be made (${code}): set HOLDFAST_HOME to a folder that you may write to`, error);
  }
}
