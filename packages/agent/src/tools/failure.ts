/** A tool's failure, worded for the model. Any tool may throw it; it becomes a result marked as an error. */
export class ToolFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ToolFailure';
  }
}

/** The operating system's error code, or undefined for any other error. Pure. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be opened: permission denied',
  EPERM: 'cannot be changed: operation not permitted',
  ELOOP: 'is a symlink that appeared in the meantime, or one that points to itself',
  ENOTDIR: 'has a file, or something that was swapped in, where a folder should be',
  EISDIR: 'is a folder',
  EEXIST: 'was created by another program in the meantime; try again',
  ENAMETOOLONG: 'has too long a name',
  ENOSPC: 'could not be written: the disk is full',
  EROFS: 'could not be written: the file system is read-only',
  EMFILE: 'could not be opened: too many open files; try again',
  ENXIO: 'is not a regular file',
};

/** Describes an operating system error for `path` without revealing the machine's own paths. Pure. */
export function failureOf(path: string, error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  const code = errorCode(error);
  const meaning = code === undefined ? `failed: ${messageOf(error)}` : (MEANINGS[code] ?? `failed: ${code}`);
  return new ToolFailure(`${path} ${meaning}`, error);
}

/** The message of whatever was thrown. Pure. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
