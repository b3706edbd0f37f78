import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { attempt } from '../../attempt.ts';
import { errorCode, ToolFailure } from '../failure.ts';
import { at, type Folder, openFolder, verify, verifyFile } from './folder.ts';
import { temporaryName } from './temporary-name.ts';
import type { WalkedPath } from './walk.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * Writes a file atomically: a new file in the same folder, then a rename. Other hard links keep the old bytes; mode and owner stay.
 * `seen` is the file as it was read: if it has changed since, nothing is replaced. Throws ToolFailure or the operating
 * system's error.
 */
export function replaceFile(place: WalkedPath, bytes: Buffer, seen: BigIntStats | undefined, mode?: number): void {
  const folders = place.missing.slice(0, -1);
  const name = place.name ?? place.missing.at(-1);
  if (name === undefined) throw new ToolFailure(`${place.path || '.'} is a folder`);
  // A rename would ignore the mode.
  if (seen !== undefined && (seen.mode & 0o222n) === 0n) throw new ToolFailure(`${place.path} is write-protected`);
  withFolders(place.folder, folders, (folder) => {
    const temporary = temporaryName();
    const fd = openSync(at(folder, temporary), NEW_FILE, 0o666);
    try {
      try {
        verifyFile(folder, temporary, fstatSync(fd, { bigint: true }).ino);
        writeAll(fd, bytes);
        if (seen !== undefined) keepOwner(fd, seen);
        else if (mode !== undefined) fchmodSync(fd, mode);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      unchanged(place.path, folder, name, seen);
      verify(folder);
      renameSync(at(folder, temporary), at(folder, name));
    } catch (error) {
      attempt(() => unlinkSync(at(folder, temporary)));
      throw error;
    }
  });
}

/** Calls `use` with the folder at the end of these names, which are created if missing, and closes it afterwards. */
function withFolders(top: Folder, names: readonly string[], use: (folder: Folder) => void): void {
  const opened: Folder[] = [];
  try {
    let folder = top;
    for (const name of names) {
      try {
        mkdirSync(at(folder, name));
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      folder = openFolder(folder, name);
      opened.push(folder);
    }
    use(folder);
  } finally {
    for (const { fd } of opened) closeSync(fd);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}

function keepOwner(fd: number, seen: BigIntStats): void {
  const { uid, gid } = fstatSync(fd, { bigint: true });
  try {
    if (uid !== seen.uid || gid !== seen.gid) fchownSync(fd, Number(seen.uid), Number(seen.gid));
  } catch (error) {
    if (errorCode(error) !== 'EPERM') throw error;
  }
  // Drop setuid and setgid: the new content was never trusted with those rights.
  fchmodSync(fd, Number(seen.mode) & 0o777);
}

function unchanged(path: string, folder: Folder, name: string, seen: BigIntStats | undefined): void {
  const now = lstatSync(at(folder, name), { bigint: true, throwIfNoEntry: false });
  const same =
    seen === undefined || now === undefined
      ? seen === now
      : now.ino === seen.ino && now.dev === seen.dev && now.ctimeNs === seen.ctimeNs && now.size === seen.size;
  if (!same)
    throw new ToolFailure(
      `${path} was changed by another program in the meantime and was left unchanged; read it again`,
    );
}
