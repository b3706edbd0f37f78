/** What a tool could not do, in words for the model. Any tool may throw it; it becomes a result that is marked as failed. */
export class ToolFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ToolFailure';
  }
}

/** The error code of the operating system; undefined for any other error. Pure. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be opened: permission denied',
  EPERM: 'may not be changed: not permitted',
  ELOOP: 'is a symlink that was put there meanwhile, or one that leads to itself',
  ENOTDIR: 'has a file, or something swapped meanwhile, where a folder should be',
  EISDIR: 'is a folder',
  EEXIST: 'came into being meanwhile; try again',
  ENAMETOOLONG: 'has a name that is too long',
  ENOSPC: 'could not be written: the disk is full',
  EROFS: 'could not be written: the file system is read-only',
  EMFILE: 'could not be opened: too many open files; try again',
  ENXIO: 'is no regular file',
};

/** A failure of the operating system said of `path`, without the machine's own paths in it. Pure. */
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
