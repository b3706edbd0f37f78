import { closeSync, type Dirent, readdirSync } from 'node:fs';
import { errorCode } from '../failure.ts';
import { at, below, type Folder, openFolder, type Root } from '../files/folder.ts';
import { isTemporary } from '../files/temporary-name.ts';
import type { Scope } from '../scope/judge.ts';

/** Folders skipped by lists, searches and snapshots unless requested. */
export const IGNORED: readonly string[] = ['.git', 'node_modules'];

/** What every job needs. */
export interface TreeQuery {
  readonly root: Root;
  /** Where to start. */
  readonly names: readonly string[];
  readonly ignored: readonly string[];
  /** Paths that file tools may not reach. */
  readonly hidden: readonly string[];
  readonly glob?: string;
  readonly scope?: Scope;
}

/** An entry of a folder; `folder` stays open only until the next entry is requested. */
export interface Entry {
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
}

const DEEPEST = 100;

/** How deep to go, which paths to skip, and whether to include temporary files of a write in progress. */
export interface Reach {
  readonly depth?: number;
  readonly isHidden?: (path: string) => boolean;
  readonly temporaries?: boolean;
}

/**
 * Everything below an open folder, sorted by name, each folder before its contents. Follows no symlinks; skips folders that
 * vanish or cannot be read.
 */
export function* entriesBelow(folder: Folder, ignored: readonly string[], reach: Reach = {}): Generator<Entry> {
  const { depth = DEEPEST, isHidden = () => false, temporaries = false } = reach;
  for (const found of namesIn(folder)) {
    const { name } = found;
    if (ignored.includes(name) || isHidden(below(folder, name))) continue;
    const kind = kindOf(found);
    if (!temporaries && kind === 'file' && isTemporary(name)) continue;
    yield { path: below(folder, name), folder, name, kind };
    if (kind !== 'folder' || depth <= 1) continue;
    const next = tryOpen(folder, name);
    if (next === undefined) continue;
    try {
      yield* entriesBelow(next, ignored, { depth: depth - 1, isHidden, temporaries });
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

function tryOpen(folder: Folder, name: string): Folder | undefined {
  try {
    return openFolder(folder, name);
  } catch {
    return undefined;
  }
}
