import { randomBytes } from 'node:crypto';
import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { WrongUse } from '../failure.ts';

/** A file that a flag names. */
export interface FlagFile {
  readonly flag: string;
  readonly file: string | undefined;
}

/** Writes what a flag asks for; nothing is there before. Throws WrongUse. */
export type Write = (text: string) => void;

/**
 * A function for each output that is named. That a place cannot be written to, or is one of the inputs or another output,
 * is told now, and not once everything was measured. Throws WrongUse.
 */
export function openOutputs(
  outputs: readonly FlagFile[],
  inputs: readonly FlagFile[],
  cwd: string,
): (Write | undefined)[] {
  const taken = new Map<string, string>();
  for (const { flag, file } of inputs) if (file !== undefined) taken.set(realPath(resolve(cwd, file)), flag);
  return outputs.map(({ flag, file }) => {
    if (file === undefined) return undefined;
    if (file === '') throw new WrongUse(`${flag} names no file: give one`);
    const path = realPath(resolve(cwd, file));
    const other = taken.get(path);
    if (other !== undefined)
      throw new WrongUse(`${flag} ${file} would overwrite ${other}: choose another place for what is written`);
    taken.set(path, `what ${flag} writes`);
    attempt(file, () => check(path));
    return (text) => attempt(file, () => replace(path, text));
  });
}

/** Where a path leads, be it there or not. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

function check(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (stat) accessSync(path, constants.W_OK);
  if (!stat || stat.isFile()) accessSync(dirname(path), constants.W_OK);
}

function replace(path: string, text: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isFile()) replaceFile(path, text);
  else writeFileSync(path, text); // a pipe or a device
}

/** Whole or not at all, and for its owner alone: it quotes conversations. */
function replaceFile(path: string, text: string): void {
  const beside = join(dirname(path), `.${basename(path)}-${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(beside, text, { mode: 0o600, flag: 'wx' });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

function attempt(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`${file} cannot be written (${code}): choose another place`, error);
  }
}
