import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { HoldfastError, type HoldfastErrorCode, isHoldfastError } from 'holdfast';
import { messageOf } from '../log/broken-entry.ts';

/** SQLite's primary codes. */
const [ERROR, BUSY, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB] = [1, 5, 8, 10, 11, 13, 14, 26];
/** CORRUPT in a virtual table: the search index. */
const CORRUPT_VTAB = 267;
/** With less free, SQLite may fail to extend its files without saying why. */
const LEAST_FREE = 65_536;

/** What to do about a damaged store. Pure. */
export function wayOut(path: string): string {
  return `\`holdfast sessions salvage ${path} NEW.db\` writes what is sound into a new store, or restore it from a backup`;
}

/** Turns SQLite's errors into ones that name the store and say what to do. */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw told(path, error);
  }
}

function told(path: string, error: unknown): unknown {
  if (isHoldfastError(error)) return error;
  const { errcode, code } = error as { readonly errcode?: number; readonly code?: string };
  const problem = (text: string, name: HoldfastErrorCode = 'BAD_STATE') =>
    new HoldfastError(name, text, errcode === undefined ? {} : { errcode }, error);
  const full = `the disk with ${path} is full: nothing was changed, free some space and try again`;
  if (errcode === undefined) {
    if (code === 'ENOSPC' || code === 'EDQUOT') return problem(full);
    if (code === undefined || !/^E[A-Z]+$/.test(code)) return error;
    return problem(`${path} cannot be opened (${code}): choose a place you can write to`);
  }
  const what = messageOf(error);
  switch (errcode & 0xff) {
    case BUSY:
      return problem(
        `${path} was in use by other processes for too long: nothing was changed, try again`,
        'STORE_CONFLICT',
      );
    case FULL:
      return problem(full);
    case NOTADB:
      return problem(
        `${path} is not a session store (${what}): pass another --store; if it was one, restore it from a backup`,
      );
    case CORRUPT:
      return problem(
        errcode === CORRUPT_VTAB
          ? `the search index of ${path} is damaged: \`holdfast sessions verify\` rebuilds it`
          : `${path} is damaged (${what}): ${wayOut(path)}`,
      );
    case ERROR:
      return problem(`the tables of ${path} are damaged (${what}): ${wayOut(path)}`);
    case READONLY:
    case CANTOPEN:
      return problem(`${path} cannot be written (${what}): check that you may write to the file and its folder`);
    case IOERR:
      if (isFull(path)) return problem(full);
      return problem(`${path} cannot be read or written (${what}): check its disk; nothing was changed`);
    default:
      return problem(`${path}: ${what}. Nothing was changed; if it is damaged, ${wayOut(path)}`);
  }
}

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < LEAST_FREE;
  } catch {
    return false;
  }
}

/** True for an error of `guarded` about other processes that write. */
export function isBusy(error: unknown): boolean {
  return isHoldfastError(error) && (Number(error.details.errcode) & 0xff) === BUSY;
}

/** True for an error of `guarded` about damage in what can be built again from the entries. */
export function isDerived(error: unknown): boolean {
  return isHoldfastError(error) && error.details.errcode === CORRUPT_VTAB;
}
