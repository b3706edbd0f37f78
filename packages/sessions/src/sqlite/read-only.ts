import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { checkVersion } from './schema.ts';

/** SQLite's codes for files that it can neither open nor create: READONLY and CANTOPEN. */
const CANNOT_CREATE: readonly number[] = [8, 14];
/** How long a reader waits for a process that recovers the database. */
const BUSY_MS = 30_000;

/**
 * A connection that writes nothing, for sandboxes in which the folder is read-only. SQLite needs the files next to a database
 * that others write to; if they are missing and cannot be created, nobody writes, and the file can be read as it is.
 */
export function openReadOnly(Database: typeof DatabaseSync, path: string): DatabaseSync {
  try {
    return opened(Database, path, path);
  } catch (error) {
    const { errcode = 0 } = error as { readonly errcode?: number };
    if (!CANNOT_CREATE.includes(errcode & 0xff) || hasUnmerged(path)) throw error;
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return opened(Database, url, path);
  }
}

/** True if the last writers left changes that are not in the file yet. */
function hasUnmerged(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function opened(Database: typeof DatabaseSync, place: string | URL, path: string): DatabaseSync {
  const db = new Database(place, { readOnly: true, timeout: BUSY_MS });
  try {
    checkVersion(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
