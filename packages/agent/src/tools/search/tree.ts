import { closeSync, type Dirent, readdirSync } from 'node:fs';
import { errorCode } from '../failure.ts';
import { at, below, type Folder, openFolder, type Root } from '../files/folder.ts';
import { isTemporary } from '../files/temporary-name.ts';
import type { Scope } from '../scope/judge.ts';

/** Folders that are left out of lists, searches and snapshots, unless they are asked for. */
export const IGNORED: readonly string[] = ['.git', 'node_modules'];

/** What every job knows. */
export interface TreeQuery {
  readonly root: Root;
  /** Where to begin. */
  readonly names: readonly string[];
  readonly ignored: readonly string[];
  /** Paths that no tool for files reaches. */
  readonly hidden: readonly string[];
  readonly glob?: string;
  readonly scope?: Scope;
}

/** Something in a folder; `folder` is open only until the next one is asked for. */
export interface Entry {
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'symlink' | 'other';
}

const DEEPEST = 100;

/** How far down is gone, which paths are left out, and whether files count that are being written this instant. */
export interface Reach {
  readonly depth?: number;
  readonly isHidden?: (path: string) => boolean;
  readonly temporaries?: boolean;
}

/**
 * All that is below an open folder, in order of names, folders before what is in them. No symlink is followed. A folder
 * that goes away meanwhile, or may not be read, is left out.
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
