import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ToolFailure } from '../failure.ts';

/** The folder that tools are confined to. Plain data, so that a worker can be given it. */
export interface Root {
  /** Absolute, without symlinks. */
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
  /**
   * How something in a folder is named: `descriptors` through the open folder itself (/proc/self/fd), so that no swap
   * of a path leads elsewhere; `paths` by its path, checked again before anything is read or replaced.
   */
  readonly by: 'descriptors' | 'paths';
}

/** A folder that is held open. */
export interface Folder {
  readonly root: Root;
  readonly fd: number;
  /** From the workspace, parted by `/`; empty for the workspace itself. No symlink is in it. */
  readonly path: string;
}

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
// A FIFO would hold the whole program up, a terminal could become its own.
const FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Finds out what is to be known of a root. Throws what the operating system says. */
export function rootAt(path: string, by?: Root['by']): Root {
  const real = realpathSync(path);
  const fd = openSync(real, FOLDER);
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return {
      path: real,
      dev,
      ino,
      by: by ?? (sameFolder(`/proc/self/fd/${fd}/.`, ino, dev) ? 'descriptors' : 'paths'),
    };
  } finally {
    closeSync(fd);
  }
}

function sameFolder(path: string, ino: bigint, dev: bigint): boolean {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && found.ino === ino && found.dev === dev;
}

/** Opens the workspace itself. Throws ToolFailure if another folder has come into its place. */
export function openRoot(root: Root): Folder {
  const fd = openSync(root.path, FOLDER);
  const { dev, ino } = fstatSync(fd, { bigint: true });
  if (dev === root.dev && ino === root.ino) return { root, fd, path: '' };
  closeSync(fd);
  throw new ToolFailure('the workspace has been replaced by another folder');
}

/** The name by which the operating system finds `name` in an open folder. Pure. */
export function at(folder: Folder, name: string): string {
  return folder.root.by === 'descriptors' ? `/proc/self/fd/${folder.fd}/${name}` : join(hostPath(folder), name);
}

/** A folder's path on this machine. Pure. */
function hostPath(folder: Folder): string {
  return join(folder.root.path, ...folder.path.split('/'));
}

/** `name` below a folder's path. Pure. */
export function below(folder: Folder, name: string): string {
  return folder.path === '' ? name : `${folder.path}/${name}`;
}

/** Opens a folder in a folder; a symlink is not followed. Throws what the operating system says. */
export function openFolder(folder: Folder, name: string): Folder {
  const opened = { root: folder.root, fd: openSync(at(folder, name), FOLDER), path: below(folder, name) };
  if (folder.root.by === 'paths') orClose(opened.fd, () => verify(opened));
  return opened;
}

/** Opens a regular file in a folder for reading; nothing else is ever opened, and no symlink followed. */
export function openFile(folder: Folder, name: string): number {
  const path = below(folder, name);
  // Opening a device may do something by itself, so it is looked at before; what was swapped meanwhile, after.
  if (!lstatSync(at(folder, name)).isFile()) throw new ToolFailure(`${path} is no regular file`);
  const fd = openSync(at(folder, name), FILE);
  orClose(fd, () => {
    const opened = fstatSync(fd, { bigint: true });
    if (!opened.isFile()) throw new ToolFailure(`${path} is no regular file`);
    verifyFile(folder, name, opened.ino);
  });
  return fd;
}

/** Throws ToolFailure unless the folder lies where it was found and this open file in it, before and after each other. */
export function verifyFile(folder: Folder, name: string, ino: bigint): void {
  verify(folder);
  if (folder.root.by === 'descriptors') return;
  if (lstatSync(at(folder, name), { bigint: true, throwIfNoEntry: false })?.ino !== ino) moved(below(folder, name));
  verify(folder);
}

/** Throws ToolFailure unless an open folder still lies where it was found. */
export function verify(folder: Folder): void {
  const path = hostPath(folder);
  if (folder.root.by === 'descriptors') {
    if (readlinkSync(`/proc/self/fd/${folder.fd}`) !== path) moved(folder.path);
    return;
  }
  const { dev, ino } = fstatSync(folder.fd, { bigint: true });
  if (realpathSync(path) !== path || !sameFolder(path, ino, dev)) moved(folder.path);
}

function moved(path: string): never {
  throw new ToolFailure(`${path || 'the workspace'} was moved while it was being opened; try again`);
}

function orClose(fd: number, check: () => void): void {
  try {
    check();
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
