import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { guarded } from './errors.ts';
import { nodeSqlite } from './node-sqlite.ts';
import { openReadOnly } from './read-only.ts';
import { rebuildDerived } from './search-index.ts';

/** What is wrong with the file of a store. */
export interface FileProblems {
  readonly bytes: number;
  /** Where the file is damaged; empty if it is not. */
  readonly damage: readonly string[];
  /** True if that is only in what the next writer builds again: indexes. */
  readonly isDerived: boolean;
}

/** Builds the search index and all other indexes of a store's file again. Throws BAD_STATE, and STORE_CONFLICT if it is in use. */
export async function rebuildIndexes(path: string): Promise<void> {
  const { DatabaseSync } = await nodeSqlite();
  const full = resolve(path);
  guarded(full, () => {
    const db = new DatabaseSync(full, { timeout: BUSY_MS });
    try {
      db.exec('BEGIN IMMEDIATE');
      rebuildDerived(db);
      db.exec('COMMIT');
    } finally {
      db.close();
    }
  });
}

const BUSY_MS = 30_000;
/** Reports about an index, or about that of words. */
const DERIVED = /\bindex\b|\bfts5\b/i;
/** More say nothing new. */
const MOST = 10;

/**
 * Checks the pages, tables and indexes of a store's file, without changing it. What sessions say is `verifySession`'s to check.
 * Throws BAD_STATE if it cannot be opened as a store.
 */
export async function checkFile(path: string): Promise<FileProblems> {
  const { DatabaseSync } = await nodeSqlite();
  const full = resolve(path);
  return guarded(full, () => {
    const db = openReadOnly(DatabaseSync, full);
    try {
      const rows = db.prepare(`PRAGMA integrity_check(${MOST})`).all();
      const found = rows.map((row) => String(Object.values(row)[0])).filter((text) => text !== 'ok');
      const isDerived = found.every((text) => DERIVED.test(text) && !/^\*\*\*|tree|page|freelist/i.test(text));
      return { bytes: statSync(full).size, damage: found, isDerived };
    } finally {
      db.close();
    }
  });
}
