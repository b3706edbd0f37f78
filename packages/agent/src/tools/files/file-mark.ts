import { createHash } from 'node:crypto';
import { ToolFailure } from '../failure.ts';
import { FILE_BYTES, type Files, gate } from './read-file.ts';

/** Identifies a change to a file by hashes of its content before and after. Pure. */
export function fileMark(before: Buffer | undefined, after: Buffer): string {
  return `${hashOf(before)} ${hashOf(after)}`;
}

/**
 * True if the change with this mark was already made, false if the file is unchanged. Throws ToolFailure if it is neither,
 * because then something else changed the file.
 */
export function isDone(files: Files, path: string, mark: string): boolean {
  const [before, after] = mark.split(' ');
  const now = hashOf(bytesOf(files, path));
  if (now === after) return true;
  if (now === before) return false;
  throw new ToolFailure(
    `the process ended during this call, and something else has changed ${path} since: read it again`,
  );
}

/** A file's content, or undefined if it cannot be read. */
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
