import type { DatabaseSync } from 'node:sqlite';
import { HoldfastError } from 'holdfast';
import { wayOut } from './errors.ts';
import { INDEXES, SEARCH_TABLES } from './search-index.ts';

/** The version of the tables. A store of another one is refused. */
const VERSION = 1;

const TABLES = `CREATE TABLE sessions (
     key INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     title TEXT NOT NULL,
     created INTEGER NOT NULL,
     updated INTEGER NOT NULL,
     last INTEGER NOT NULL,
     hash TEXT NOT NULL,
     messages INTEGER NOT NULL,
     folds INTEGER NOT NULL,
     bytes INTEGER NOT NULL,
     tokens REAL NOT NULL,
     cost REAL NOT NULL,
     provider TEXT,
     model TEXT,
     dialect TEXT,
     kind TEXT,
     revisions TEXT NOT NULL
   ) STRICT;
   CREATE TABLE entries (
     key INTEGER PRIMARY KEY,
     session INTEGER NOT NULL REFERENCES sessions (key),
     seq INTEGER NOT NULL,
     time INTEGER NOT NULL,
     type TEXT NOT NULL,
     hash TEXT NOT NULL,
     place INTEGER,
     revision INTEGER,
     handle TEXT,
     target INTEGER,
     body TEXT NOT NULL,
     UNIQUE (session, seq)
   ) STRICT;
   ${INDEXES}
   ${SEARCH_TABLES}`;

/** Makes the tables of a new database. Throws BAD_STATE if it has those of another version. */
export function createTables(db: DatabaseSync, path: string): void {
  if (isMade(db, path)) return;
  // Works only on an empty database; lets SQLite return freed pages.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have made them while this one waited.
    if (!isMade(db, path)) {
      db.exec(TABLES);
      db.exec('CREATE TABLE holdfast_version (version INTEGER NOT NULL) STRICT');
      db.prepare('INSERT INTO holdfast_version VALUES (?)').run(VERSION);
    }
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Throws BAD_STATE if the database has no tables yet, or those of another version. Changes nothing. */
export function checkTables(db: DatabaseSync, path: string): void {
  if (!isMade(db, path)) throw new HoldfastError('BAD_STATE', `${path} is empty: pass the store that has the session`);
}

/** True if the tables are there, false for an empty database. Throws BAD_STATE for anything else. */
function isMade(db: DatabaseSync, path: string): boolean {
  const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'holdfast_version'`).get();
  if (!isThere && !db.prepare('SELECT 1 FROM sqlite_schema').get()) return false;
  const row = isThere && db.prepare('SELECT version FROM holdfast_version').get();
  const version = Number(row?.version ?? Number.NaN);
  if (Number.isNaN(version)) {
    const text = `${path} is not a session store, or its table holdfast_version is damaged: pass another --store; if it was one, ${wayOut(path)}`;
    throw new HoldfastError('BAD_STATE', text);
  }
  checkVersion(path, version, VERSION);
  return true;
}

/** Throws BAD_STATE unless a store has the version of tables that this program knows. */
export function checkVersion(place: string, version: number, known: number): void {
  if (version === known) return;
  const text = `${place} has tables of version ${version}, and this holdfast reads version ${known}: use the holdfast that wrote it, or pass another --store. Nothing was changed`;
  throw new HoldfastError('BAD_STATE', text, { version, known });
}
