import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ToolFailure } from '../failure.ts';

/** The folder that tools are confined to. Plain data, so that it can be sent to a worker. */
export interface Root {
  /** Absolute, without symlinks. */
  readonly path: string;
  readonly dev: bigint;
  readonly ino: bigint;
  /**
   * How files in a folder are opened: `descriptors` goes through the open folder (/proc/self/fd), which no swapped path can
   * redirect; `paths` uses the path and checks it again before any read or replacement.
   */
  readonly by: 'descriptors' | 'paths';
}

/** An open folder. */
export interface Folder {
  readonly root: Root;
  readonly fd: number;
  /** Relative to the workspace, with `/` and without symlinks; empty for the workspace itself. */
  readonly path: string;
}

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
// A FIFO would block the whole program; a terminal could become its controlling terminal.
const FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Reads what identifies a root folder. Throws the operating system's error. */
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

/** Opens the workspace itself. Throws ToolFailure if another folder has taken its place. */
export function openRoot(root: Root): Folder {
  const fd = openSync(root.path, FOLDER);
  const { dev, ino } = fstatSync(fd, { bigint: true });
  if (dev === root.dev && ino === root.ino) return { root, fd, path: '' };
  closeSync(fd);
  throw new ToolFailure('the workspace was replaced by another folder');
}

/** The path under which the operating system finds `name` in an open folder. Pure. */
export function at(folder: Folder, name: string): string {
  return folder.root.by === 'descriptors' ? `/proc/self/fd/${folder.fd}/${name}` : join(hostPath(folder), name);
}

/** A folder's path on this machine. Pure. */
function hostPath(folder: Folder): string {
  return join(folder.root.path, ...folder.path.split('/'));
}

/** The path of `name` in a folder, relative to the workspace. Pure. */
export function below(folder: Folder, name: string): string {
  return folder.path === '' ? name : `${folder.path}/${name}`;
}

/** Opens a folder inside a folder without following symlinks. Throws the operating system's error. */
export function openFolder(folder: Folder, name: string): Folder {
  const opened = { root: folder.root, fd: openSync(at(folder, name), FOLDER), path: below(folder, name) };
  if (folder.root.by === 'paths') orClose(opened.fd, () => verify(opened));
  return opened;
}

/** Opens a regular file for reading; opens nothing else and follows no symlink. */
export function openFile(folder: Folder, name: string): number {
  const path = below(folder, name);
  // Checked before opening, because opening a device can have effects, and after, because it may have been swapped.
  if (!lstatSync(at(folder, name)).isFile()) throw new ToolFailure(`${path} is not a regular file`);
  const fd = openSync(at(folder, name), FILE);
  orClose(fd, () => {
    const opened = fstatSync(fd, { bigint: true });
    if (!opened.isFile()) throw new ToolFailure(`${path} is not a regular file`);
    verifyFile(folder, name, opened.ino);
  });
  return fd;
}

/** Throws ToolFailure if the folder, or this open file in it, has been moved. */
export function verifyFile(folder: Folder, name: string, ino: bigint): void {
  verify(folder);
  if (folder.root.by === 'descriptors') return;
  if (lstatSync(at(folder, name), { bigint: true, throwIfNoEntry: false })?.ino !== ino) moved(below(folder, name));
  verify(folder);
}

/** Throws ToolFailure if an open folder has been moved. */
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
