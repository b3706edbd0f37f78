import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { stateFolder } from '@holdfast/agent/config';
import type { Context } from './context.ts';
import { orWrongUse } from './failure.ts';

/** The folder for sessions and other state: `HOLDFAST_HOME`, otherwise `~/.holdfast`. It may not exist yet. */
export function homeOf({ cwd, env }: Pick<Context, 'cwd' | 'env'>): string {
  return stateFolder(env, cwd);
}

/** A path for people: `~` instead of the home folder. */
export function shownHome(path: string, { HOME }: Context['env']): string {
  return HOME && path.startsWith(`${HOME}/`) ? `~${path.slice(HOME.length)}` : path;
}

/** Creates one folder at a time, because `recursive` never returns in places like /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Creates that folder, private to its owner because it holds conversations. Throws WrongUse. */
export function openHome(context: Pick<Context, 'cwd' | 'env'>): string {
  return openFolder(homeOf(context));
}

/** Creates a folder, private to its owner, unless it exists. Throws WrongUse. */
export function openFolder(folder: string): string {
  orWrongUse(`create ${folder}`, 'set HOLDFAST_HOME to a folder you can write to', () => makeFolder(folder));
  return folder;
}
