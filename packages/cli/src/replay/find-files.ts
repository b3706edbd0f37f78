import { globSync, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { WrongUse } from '../failure.ts';

/** A file to read, and how it is called. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

const PATTERN = /[*?[\]{}]/;
const IN_FOLDERS = /\.(?:jsonl|ndjson)$/;

/** The files that are named: files, folders (their `.jsonl` files, however deep) and patterns, each once, in order. Throws WrongUse. */
export function findFiles(named: readonly string[], cwd: string): FoundFile[] {
  const found = new Map<string, FoundFile>();
  for (const name of named) {
    const paths = reached(name, () => pathsOf(name, cwd));
    if (paths.length === 0)
      throw new WrongUse(`${name}: there is no file to replay (folders are searched for *.jsonl)`);
    for (const path of paths.toSorted()) {
      const { size: bytes } = statSync(path);
      found.set(path, { path, name: nameOf(path, cwd), bytes });
    }
  }
  return [...found.values()];
}

/** From here, if it lies here or below. */
function nameOf(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === '' || inside.startsWith('..') ? path : inside;
}

function pathsOf(name: string, cwd: string): string[] {
  const path = resolve(cwd, name);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    const inside = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return inside
      .filter((one) => IN_FOLDERS.test(one))
      .map((one) => join(path, one))
      .filter(isFile);
  }
  if (stat) return [path];
  if (!PATTERN.test(name))
    throw new WrongUse(`${name} is not there: name a file, a folder or a pattern such as logs/*.jsonl`);
  return globSync(name, { cwd })
    .map((one) => resolve(cwd, one))
    .filter(isFile);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function reached<T>(name: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new WrongUse(`${name} cannot be read (${code}): name what you may read`, error);
  }
}
