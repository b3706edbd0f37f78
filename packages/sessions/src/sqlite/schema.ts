import type { DatabaseSync } from 'node:sqlite';
import { HoldfastError } from 'holdfast';
import { wayOut } from './errors.ts';
import { INDEXES, SEARCH_TABLES } from './search-index.ts';

/** Migrations from each version to the next. Never change one; add another. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE sessions (
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
     eras TEXT NOT NULL
   ) STRICT;
   CREATE TABLE entries (
     key INTEGER PRIMARY KEY,
     session INTEGER NOT NULL REFERENCES sessions (key),
     seq INTEGER NOT NULL,
     time INTEGER NOT NULL,
     type TEXT NOT NULL,
     hash TEXT NOT NULL,
     place INTEGER,
     era INTEGER,
     handle TEXT,
     target INTEGER,
     body TEXT NOT NULL,
     UNIQUE (session, seq)
   ) STRICT;
   ${INDEXES}
   ${SEARCH_TABLES}`,
  `ALTER TABLE sessions ADD COLUMN kind TEXT;
   UPDATE sessions SET kind = 'crew' WHERE provider = 'crew'`,
];

/** Migrates a database to the newest version. Throws BAD_STATE if a newer program wrote it. */
export function migrate(db: DatabaseSync, path: string): void {
  if (versionOf(db, path) === MIGRATIONS.length) return;
  // Works only on an empty database; lets SQLite return freed pages.
  db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated it while this one waited.
    const version = versionOf(db, path);
    db.exec('CREATE TABLE IF NOT EXISTS holdfast_version (version INTEGER NOT NULL) STRICT');
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    db.exec('DELETE FROM holdfast_version');
    db.prepare('INSERT INTO holdfast_version VALUES (?)').run(MIGRATIONS.length);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** Throws BAD_STATE unless the database has the newest version. Changes nothing. */
export function checkVersion(db: DatabaseSync, path: string): void {
  const version = versionOf(db, path);
  if (version === MIGRATIONS.length) return;
  const text = `${path} was written by an older holdfast: \`holdfast sessions list\` updates it`;
  throw new HoldfastError('BAD_STATE', text, { version, known: MIGRATIONS.length });
}

function versionOf(db: DatabaseSync, path: string): number {
  const isThere = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'holdfast_version'`).get();
  if (!isThere && !db.prepare('SELECT 1 FROM sqlite_schema').get()) return 0;
  const row = isThere && db.prepare('SELECT version FROM holdfast_version').get();
  const version = Number(row?.version ?? Number.NaN);
  if (Number.isNaN(version)) {
    const text = `${path} is not a session store, or its table holdfast_version is damaged: pass another --store; if it was one, ${wayOut(path)}`;
    throw new HoldfastError('BAD_STATE', text);
  }
  if (version > MIGRATIONS.length) throw newerStore(path, version, MIGRATIONS.length);
  return version;
}

/** The error for a store that a newer program wrote. */
export function newerStore(place: string, version: number, known: number): HoldfastError {
  const text = `${place} was written by a newer holdfast (schema version ${version}, this one supports ${known}): update holdfast. Nothing was changed`;
  return new HoldfastError('BAD_STATE', text, { version, known });
}
