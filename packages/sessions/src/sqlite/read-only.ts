import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { checkTables } from './schema.ts';

/** SQLite's codes for files that it can neither open nor create: READONLY and CANTOPEN. */
const CANNOT_CREATE: readonly number[] = [8, 14];
/** How long a reader waits for a process that recovers the database. */
const BUSY_MS = 30_000;

/**
 * A connection that writes nothing, for sandboxes in which the folder is read-only. SQLite needs the files next to a database
 * that others write to; if they are missing and cannot be created, nobody writes, and the file can be read as it is.
 */
export function openReadOnly(Database: typeof DatabaseSync, path: string): DatabaseSync {
  return opened(Database, path, (db) => checkTables(db, path));
}

/** The same for a store that may be damaged: a file that is too short, or one wrong line of the schema, hides no table. */
export function openDamaged(Database: typeof DatabaseSync, path: string): DatabaseSync {
  return opened(Database, path, (db) => {
    db.enableDefensive?.(false);
    db.exec('PRAGMA writable_schema = ON');
    db.prepare('PRAGMA schema_version').get();
  });
}

/** True if the last writers left changes that are not in the file yet. */
function hasUnmerged(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function opened(Database: typeof DatabaseSync, path: string, check: (db: DatabaseSync) => void): DatabaseSync {
  try {
    return checked(Database, path, check);
  } catch (error) {
    const { errcode = 0 } = error as { readonly errcode?: number };
    if (!CANNOT_CREATE.includes(errcode & 0xff) || hasUnmerged(path)) throw error;
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return checked(Database, url, check);
  }
}

function checked(Database: typeof DatabaseSync, place: string | URL, check: (db: DatabaseSync) => void): DatabaseSync {
  const db = new Database(place, { readOnly: true, timeout: BUSY_MS });
  try {
    check(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
