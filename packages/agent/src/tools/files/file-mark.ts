import { createHash } from 'node:crypto';
import { ToolFailure } from '../failure.ts';
import { FILE_BYTES, type Files, gate } from './read-file.ts';

/** A mark for the change of a file: what it is before, and what it is to become. Pure. */
export function fileMark(before: Buffer | undefined, after: Buffer): string {
  return `${hashOf(before)} ${hashOf(after)}`;
}

/**
 * True if the change that has this mark was made already, false if the file is as it was before. Throws ToolFailure if it is
 * neither: then somebody else changed it, and nobody can say what is meant now.
 */
export function isDone(files: Files, path: string, mark: string): boolean {
  const [before, after] = mark.split(' ');
  const now = hashOf(bytesOf(files, path));
  if (now === after) return true;
  if (now === before) return false;
  throw new ToolFailure(
    `the process was ended during this call, and ${path} has been changed since by somebody else: read it again`,
  );
}

/** What a file holds; undefined if it cannot be read. */
export function bytesOf(files: Files, path: string): Buffer | undefined {
  try {
    return files.workspace.read(path, gate(files, 'write'), FILE_BYTES).bytes;
  } catch {
    return undefined;
  }
}

function hashOf(bytes: Buffer | undefined): string {
  return bytes === undefined ? 'none' : createHash('sha256').update(bytes).digest('base64url');
}
