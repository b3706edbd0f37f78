import { randomBytes } from 'node:crypto';
import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPath } from '@holdfast/agent/tools';
import { orWrongUse, WrongUse } from '../failure.ts';

/** A file named by a flag. */
export interface FlagFile {
  readonly flag: string;
  readonly file: string | undefined;
}

/** Writes an output file. Throws WrongUse. */
export type Write = (text: string) => void;

/**
 * A writer for each named output. Checks before measuring starts that each is writable and neither an input nor another
 * output. Throws WrongUse.
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
    if (file === '') throw new WrongUse(`${flag} needs a file name`);
    const given = resolve(cwd, file);
    const path = realPath(given);
    const other = taken.get(path);
    if (other !== undefined) throw new WrongUse(`${flag} ${file} would overwrite ${other}: choose another output file`);
    taken.set(path, `the output of ${flag}`);
    const writing = <T>(work: () => T) => orWrongUse(`write ${file}`, 'choose another place', work);
    const isDevice = writing(() => check(given, path));
    return (text) => writing(() => (isDevice ? writeFileSync(given, text) : replaceFile(path, text)));
  });
}

/** True for a pipe or a device, which cannot be replaced. */
function check(given: string, real: string): boolean {
  const stat = statSync(given, { throwIfNoEntry: false });
  if (stat?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (stat) accessSync(given, constants.W_OK);
  if (stat && !stat.isFile()) return true;
  accessSync(dirname(real), constants.W_OK);
  return false;
}

/** Replaces the file atomically, private to its owner because it quotes conversations. */
function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}-${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
