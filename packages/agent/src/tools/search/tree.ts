import { closeSync, type Dirent, readdirSync } from 'node:fs';
import { attempt } from '../../attempt.ts';
import { errorCode, ToolFailure } from '../failure.ts';
import { at, below, type Folder, openFolder, type Root } from '../files/folder.ts';
import { matchBelow } from '../files/path-rules.ts';
import { isTemporary } from '../files/temporary-name.ts';
import { walk } from '../files/walk.ts';
import type { Scope } from '../scope/judge.ts';
import { pathMatch } from './glob.ts';

/** Folders skipped by lists, searches and snapshots unless requested. */
export const IGNORED: readonly string[] = ['.git', 'node_modules'];

/** Why a file is out of reach. */
export const OUT_OF_REACH = "no tool may read or write holdfast's own files or your credentials";

/** What every job needs. Plain data. */
export interface TreeQuery {
  readonly root: Root;
  /** Where to start. */
  readonly names: readonly string[];
  readonly ignored: readonly string[];
  /** Paths that file tools may not reach. */
  readonly hidden: readonly string[];
  readonly glob?: string;
  readonly depth?: number;
  readonly scope?: Scope;
}

/** An entry of a folder; `folder` stays open only until the next entry is requested. */
export interface Entry {
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
}

/** How deep to go, which paths to skip or not to yield, and whether to include temporary files of a write in progress. */
export interface Reach {
  readonly depth?: number | undefined;
  readonly isHidden?: (path: string) => boolean;
  readonly isWanted?: (path: string, kind: Entry['kind']) => boolean;
  readonly temporaries?: boolean;
}

const DEEPEST = 100;

/**
 * Calls `use` with the file that a query starts at, or with what it asks for below its folder. A glob matches no folders.
 * Throws ToolFailure.
 */
export function queryTree<T>(query: TreeQuery, use: (entries: Iterable<Entry>) => T, temporaries = false): T {
  const { root, names, ignored, glob, depth } = query;
  const fits = pathMatch(glob);
  const isHidden = matchBelow(query.hidden);
  return walk(root, names, ({ folder, missing, name, path }) => {
    if (isHidden(path)) throw new ToolFailure(`${path} is out of reach: ${OUT_OF_REACH}`);
    if (missing.length > 0) throw new ToolFailure(`${path} does not exist`);
    if (name !== undefined) return use([{ path, folder, name, kind: 'file' }]);
    const isWanted = (path: string, kind: Entry['kind']) => glob === undefined || (kind !== 'folder' && fits(path));
    return use(entriesBelow(folder, ignored, { isHidden, isWanted, depth, temporaries }));
  });
}

/** Everything below an open folder, by name, folders before their contents. Follows no symlinks; skips unreadable folders. */
export function* entriesBelow(folder: Folder, ignored: readonly string[], reach: Reach = {}): Generator<Entry> {
  const { depth = DEEPEST, isHidden = () => false, isWanted = () => true, temporaries = false } = reach;
  for (const found of namesIn(folder)) {
    const { name } = found;
    const path = below(folder, name);
    if (ignored.includes(name) || isHidden(path)) continue;
    const kind = kindOf(found);
    if (!temporaries && kind === 'file' && isTemporary(name)) continue;
    if (isWanted(path, kind)) yield { path, folder, name, kind };
    if (kind !== 'folder' || depth <= 1) continue;
    const next = attempt(() => openFolder(folder, name));
    if (next === undefined) continue;
    try {
      yield* entriesBelow(next, ignored, { ...reach, depth: depth - 1 });
    } finally {
      closeSync(next.fd);
    }
  }
}

function namesIn(folder: Folder): Dirent[] {
  try {
    return readdirSync(at(folder, '.'), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}

function kindOf(found: Dirent): Entry['kind'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'folder';
  return found.isSymbolicLink() ? 'symlink' : 'other';
}
