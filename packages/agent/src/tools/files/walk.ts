import { closeSync, lstatSync, readlinkSync } from 'node:fs';
import { failureOf, ToolFailure } from '../failure.ts';
import { at, below, type Folder, openFolder, openRoot, type Root } from './folder.ts';

/** Where a path leads once symlinks are resolved, with its folder open. */
export interface WalkedPath {
  /** The real path relative to the workspace; empty for the workspace itself. */
  readonly path: string;
  /** The deepest existing folder on the way. */
  readonly folder: Folder;
  /** Names that do not exist below `folder`; empty if all exist. The last one is the requested file or folder. */
  readonly missing: readonly string[];
  /** The name in `folder`, if the path leads to an existing file. */
  readonly name?: string;
}

const HOPS = 40;

/**
 * Walks down from the workspace one name at a time, opening each folder inside the previous one, and calls `use` with the
 * place it reached; closes the folders when `use` returns. Follows symlinks only inside the workspace. Throws ToolFailure
 * about the path, also for errors thrown by `use`.
 */
export function walk<T>(root: Root, names: readonly string[], use: (place: WalkedPath) => T): T {
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

function descend(root: Root, todo: string[], stack: Folder[], shown: string): WalkedPath {
  const missing: string[] = [];
  for (let hops = 0, name = todo.shift(); name !== undefined; name = todo.shift()) {
    const folder = top(stack);
    if (name === '..') {
      if (missing.length > 0 || stack.length === 1) throw outside(shown);
      closeSync(folder.fd);
      stack.pop();
      continue;
    }
    const found = missing.length > 0 ? undefined : lstatSync(at(folder, name), { throwIfNoEntry: false });
    if (found === undefined) {
      missing.push(name);
    } else if (found.isSymbolicLink()) {
      if (++hops > HOPS) throw new ToolFailure(`${shown} goes through more than ${HOPS} symlinks`);
      todo.unshift(...follow(root, folder, name, stack, shown));
    } else if (found.isDirectory()) {
      stack.push(openFolder(folder, name));
    } else {
      if (todo.length > 0) throw new ToolFailure(`${below(folder, name)} is not a folder`);
      return { path: below(folder, name), folder, missing, name };
    }
  }
  const folder = top(stack);
  return { path: [folder.path, ...missing].filter((part) => part !== '').join('/'), folder, missing };
}

function top(stack: readonly Folder[]): Folder {
  const folder = stack.at(-1);
  if (folder === undefined) throw new ToolFailure('the workspace is not open');
  return folder;
}

/** The names a symlink leads to; an absolute one starts again at the workspace. */
function follow(root: Root, folder: Folder, name: string, stack: Folder[], shown: string): string[] {
  const target = readlinkSync(at(folder, name));
  const names = (path: string) => path.split('/').filter((one) => one !== '' && one !== '.');
  if (!target.startsWith('/')) return names(target);
  // Not resolved as text: ".." after a symlink does not lead where the text suggests.
  const start = `${root.path}/`;
  const rest = target === root.path ? [] : target.startsWith(start) ? names(target.slice(start.length)) : undefined;
  if (rest === undefined) throw outside(shown);
  for (const one of stack.splice(1)) closeSync(one.fd);
  return rest;
}

function outside(shown: string): ToolFailure {
  return new ToolFailure(`${shown} is refused: a symlink on its path leads out of the workspace`);
}
