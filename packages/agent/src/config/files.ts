import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { folded } from '../tools/files/path-rules.ts';
import { type Problem, problemsError } from './problem.ts';

/** The names of a configuration in a folder; the first that exists wins. They are listed only here. */
export const CONFIG_NAMES: readonly string[] = ['holdfast.yml', 'holdfast.yaml', '.ai/config.yml', '.ai/config.yaml'];

/** Whether a path, with `/` between its parts, names a configuration in any folder and in any spelling. Pure. */
export function isConfigName(path: string): boolean {
  const plain = `/${folded(path)}`;
  return CONFIG_NAMES.some((name) => plain.endsWith(`/${name}`));
}

/** Every place where a run in this folder, or in one below it, could find a configuration: here and in all parents. Pure. */
export function configPlaces(folder: string): string[] {
  const parent = dirname(folder);
  const here = CONFIG_NAMES.map((name) => join(folder, name));
  return parent === folder ? here : [...here, ...configPlaces(parent)];
}

type Env = Readonly<Record<string, string | undefined>>;

/** The folder for the state of runs: `HOLDFAST_HOME`, otherwise `~/.holdfast`. It need not exist. */
export function stateFolder(env: Env, cwd: string): string {
  const { HOLDFAST_HOME } = env;
  return HOLDFAST_HOME ? resolve(cwd, HOLDFAST_HOME) : join(env.HOME || homedir(), '.holdfast');
}

/**
 * The folder with the user's own configuration and what they trust. A relative `HOLDFAST_HOME` does not count here: in a cloned
 * repository it would name a folder of that repository.
 */
export function userFolder(env: Env): string {
  const { HOLDFAST_HOME = '' } = env;
  return isAbsolute(HOLDFAST_HOME) ? resolve(HOLDFAST_HOME) : join(env.HOME || homedir(), '.holdfast');
}

/** The user's own configuration, which is always trusted. */
export function userConfigFile(env: Env): string {
  return join(userFolder(env), 'config.yml');
}

/** The record of what the user trusts. */
export function trustFile(env: Env): string {
  return join(userFolder(env), 'trust.json');
}

const MOST_BYTES = 262_144;
const MISSING = ['ENOENT', 'ENOTDIR'];
const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'does not exist: a part of its path is not a folder',
  EISDIR: 'is a folder: pass the path of a file',
  EACCES: 'cannot be read: change its permissions, or use another file',
  EPERM: 'cannot be read: change its permissions, or use another file',
  ELOOP: 'is a link to itself',
};
const MISSING_CONFIG = 'pass the path of a configuration, or write one with `holdfast init`';

/**
 * The configuration of a folder: in it, or in the nearest folder above it up to the root of its repository
 * (where `.git` is); outside a repository, only in the folder itself. Undefined if there is none.
 */
export function findConfigFile(cwd: string): string | undefined {
  const folders = foldersUpward(resolve(cwd));
  return folders.flatMap((folder) => CONFIG_NAMES.map((name) => join(folder, name))).find(isThere);
}

/** The folder and those above it up to the root of its repository; outside a repository, the folder alone. */
export function foldersUpward(start: string): string[] {
  const folders = [start];
  for (let folder = start; !existsSync(join(folder, '.git')); ) {
    const parent = dirname(folder);
    if (parent === folder) return [start];
    folders.push(parent);
    folder = parent;
  }
  return folders;
}

/** Whether a file exists; also true if it cannot be examined, since reading it will say why. */
export function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return !MISSING.includes(codeOf(error));
  }
}

/** Whether a file has the older shape: `config.yml` in a folder `.ai`, which other programs may read too. */
export function isShared(file: string): boolean {
  return basename(dirname(file)) === '.ai';
}

/** A path for people: relative if it is inside the folder. */
export function shownPath(cwd: string, file: string): string {
  const path = relative(cwd, file);
  return path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path) ? file : path;
}

/**
 * The text of a file, without a byte order mark. Throws BAD_CONFIG if it is missing (`missing` is the advice), not a file, too
 * large, or not UTF-8.
 */
export function readConfigFile(file: string, place: string, missing: string = MISSING_CONFIG): string {
  const refuse = (text: string, cause?: unknown): Error => problemsError([{ place, text } satisfies Problem], cause);
  let bytes: Buffer;
  try {
    bytes = readAtMost(file, MOST_BYTES + 1);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') throw refuse(`does not exist: ${missing}`, error);
    throw refuse(REASONS[code] ?? `could not be read (${code})`, error);
  }
  if (bytes.length > MOST_BYTES) throw refuse('is larger than 256 KiB, the maximum for a configuration');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const before = validPart(bytes);
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    const at = { place: `${place}:${line}:${column}`, text: 'is not UTF-8: save the file as UTF-8' };
    throw problemsError([at], error);
  }
}

/** Not `readFile`, because a device may never end. */
function readAtMost(file: string, most: number): Buffer {
  const handle = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(most);
    let length = 0;
    for (let read = -1; read !== 0 && length < most; length += read) {
      read = readSync(handle, bytes, length, most - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

function validPart(bytes: Buffer): string {
  const text = new TextDecoder('utf-8').decode(bytes);
  const at = text.indexOf('\uFFFD');
  return text.slice(0, Math.max(0, at));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown';
}
