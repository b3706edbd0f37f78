import { closeSync, lstatSync, readlinkSync, type Stats } from 'node:fs';
import { errorCode, failureOf, ToolFailure } from '../failure.ts';
import { at, below, type Folder, openFolder, openRoot, type Root } from './folder.ts';

/** Where a path leads, symlinks resolved, with its folder held open. */
export interface Place {
  /** The real path from the workspace; empty for the workspace itself. */
  readonly path: string;
  /** The deepest folder on the way that exists. */
  readonly folder: Folder;
  /** What is missing below `folder`; empty if all is there. The last name is the file or folder that was asked for. */
  readonly missing: readonly string[];
  /** The name in `folder` of what is there and is no folder. */
  readonly name?: string;
}

const HOPS = 40;

/**
 * Goes down from the workspace one name at a time, each folder opened in the one before it, and calls `use` with where
 * it came to; the folders are closed when `use` returns. Symlinks are followed only inside the workspace.
 * Throws ToolFailure; what `use` throws comes out as a ToolFailure about the path.
 */
export function walk<T>(root: Root, names: readonly string[], use: (place: Place) => T): T {
  const shown = names.join('/') || '.';
  const stack: Folder[] = [];
  try {
    stack.push(openRoot(root));
    return use(descend(root, [...names], stack, shown));
  } catch (error) {
    throw failureOf(shown, error);
  } finally {
    for (const folder of stack) closeSync(folder.fd);
  }
}

function descend(root: Root, todo: string[], stack: Folder[], shown: string): Place {
  const missing: string[] = [];
  for (let hops = 0, name = todo.shift(); name !== undefined; name = todo.shift()) {
    const folder = top(stack);
    if (name === '..') {
      if (missing.length > 0 || stack.length === 1) throw outside(shown);
      closeSync(folder.fd);
      stack.pop();
      continue;
    }
    const found = missing.length > 0 ? undefined : look(folder, name);
    if (found === undefined) {
      missing.push(name);
    } else if (found.isSymbolicLink()) {
      if (++hops > HOPS) throw new ToolFailure(`${shown} goes through more than ${HOPS} symlinks`);
      todo.unshift(...follow(root, folder, name, stack, shown));
    } else if (found.isDirectory()) {
      stack.push(openFolder(folder, name));
    } else {
      if (todo.length > 0) throw new ToolFailure(`${below(folder, name)} is no folder`);
      return { path: below(folder, name), folder, missing, name };
    }
  }
  const folder = top(stack);
  return {
    path: missing.reduce((path, name) => (path === '' ? name : `${path}/${name}`), folder.path),
    folder,
    missing,
  };
}

function top(stack: readonly Folder[]): Folder {
  const folder = stack.at(-1);
  if (folder === undefined) throw new ToolFailure('the workspace is not open');
  return folder;
}

function look(folder: Folder, name: string): Stats | undefined {
  try {
    return lstatSync(at(folder, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The names that a symlink stands for; an absolute one begins at the workspace again. */
function follow(root: Root, folder: Folder, name: string, stack: Folder[], shown: string): string[] {
  const target = readlinkSync(at(folder, name));
  const names = (path: string) => path.split('/').filter((one) => one !== '' && one !== '.');
  if (!target.startsWith('/')) return names(target);
  // Not resolved as text: a ".." behind a symlink leads elsewhere than its text says.
  const start = `${root.path}/`;
  const rest = target === root.path ? [] : target.startsWith(start) ? names(target.slice(start.length)) : undefined;
  if (rest === undefined) throw outside(shown);
  for (const one of stack.splice(1)) closeSync(one.fd);
  return rest;
}

function outside(shown: string): ToolFailure {
  return new ToolFailure(`${shown} is refused: a symlink on the way leads out of the workspace`);
}
