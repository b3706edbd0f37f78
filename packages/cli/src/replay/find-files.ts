import { type Dirent, globSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { TranscriptRemark } from '@holdfast/replay/transcripts';
import { WrongUse } from '../failure.ts';

/** A file to read, with its display name. */
export interface FoundFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** The files to read, and remarks on those skipped. */
export interface Found {
  readonly files: readonly FoundFile[];
  readonly remarks: readonly TranscriptRemark[];
}

type Skip = (path: string, reason: string) => void;

const PATTERN = /[*?[\]{}]/;
const IN_FOLDERS = /\.(?:jsonl|ndjson)$/;

/**
 * Resolves files, folders (all `.jsonl` files below) and patterns, in order, each file once by its real path. Follows links.
 * Throws WrongUse.
 */
export function findFiles(named: readonly string[], cwd: string): Found {
  const found = new Map<string, FoundFile>();
  const remarks = new Map<string, TranscriptRemark>();
  const skip: Skip = (path, reason) => remarks.set(path, { file: nameOf(path, cwd), line: 0, reason, count: 1 });
  for (const name of named) {
    const paths = reached(name, () => pathsOf(name, cwd, skip));
    if (paths.length === 0) throw new WrongUse(`${name}: no file to replay (in folders, only *.jsonl files count)`);
    for (const path of paths) {
      const real = realpathSync(path);
      const known = found.get(real);
      if (!known) found.set(real, { path, name: nameOf(path, cwd), bytes: statSync(path).size });
      else if (known.path !== path) skip(path, `the same file as ${known.name}, which is already included`);
    }
  }
  return { files: [...found.values()], remarks: [...remarks.values()] };
}

/** Relative to the current folder, if it is inside. */
function nameOf(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === '' || inside.startsWith('..') ? path : inside;
}

function pathsOf(name: string, cwd: string, skip: Skip): string[] {
  const path = resolve(cwd, name);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) return inFolder(path, skip);
  if (stat) return [path];
  if (!PATTERN.test(name))
    throw new WrongUse(`${name} does not exist: pass a file, a folder or a pattern such as logs/*.jsonl`);
  return globSync(name, { cwd })
    .map((one) => resolve(cwd, one))
    .filter((one) => statOf(one, skip)?.isFile())
    .sort();
}

/** The transcripts of a folder, sorted. Links come last, so that a file here keeps its own name. */
function inFolder(top: string, skip: Skip): string[] {
  const [files, folders, links]: [string[], string[], string[]] = [[], [top], []];
  const seen = new Set<string>();
  const linked: string[] = [];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop() ?? nextLink()) {
    const real = realpathSync(folder);
    if (seen.has(real)) skip(folder, 'a link to a folder that is already included');
    else for (const entry of entriesOf(folder, top, skip)) sort(join(folder, entry.name), entry);
    seen.add(real);
  }
  return [...files.sort(), ...linked.sort()];

  function sort(path: string, entry: Dirent): void {
    if (entry.isDirectory()) folders.push(path);
    else if (entry.isSymbolicLink()) links.push(path);
    else if (entry.isFile() && IN_FOLDERS.test(path)) files.push(path);
  }
  function nextLink(): string | undefined {
    for (let link = links.shift(); link !== undefined; link = links.shift()) {
      const stat = statOf(link, skip);
      if (stat?.isDirectory()) return link;
      if (stat?.isFile() && IN_FOLDERS.test(link)) linked.push(link);
    }
    return undefined;
  }
}

function entriesOf(folder: string, top: string, skip: Skip): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (folder === top) throw error;
    skip(folder, `cannot read the folder (${codeOf(error)})`);
    return [];
  }
}

/** Stats a path; reports a broken link. */
function statOf(path: string, skip: Skip): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    skip(path, `a broken or unreadable link (${codeOf(error)})`);
    return undefined;
  }
}

function reached<T>(name: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new WrongUse(`cannot read ${name} (${code}): check its permissions`, error);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
