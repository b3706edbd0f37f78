import { closeSync, openSync, readSync } from 'node:fs';
import { HoldfastError } from 'holdfast';
import { nodeSqlite } from '../sqlite/node-sqlite.ts';

/** True if a file is an SQLite database. */
export function isDatabase(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(16);
    readSync(fd, bytes, 0, 16, 0);
    return bytes.toString('latin1') === 'SQLite format 3\0';
  } finally {
    closeSync(fd);
  }
}

/**
 * The rows of a table `sessions (id, created_at, updated_at, title, messages)`, one JSON line each, for `importSessions`. Reads
 * only. Throws BAD_STATE if there is no such table.
 */
export async function* databaseLines(path: string): AsyncGenerator<string> {
  const { DatabaseSync } = await nodeSqlite();
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const columns = db.prepare(`SELECT name FROM pragma_table_info('sessions')`).all();
    if (!columns.some(({ name }) => name === 'messages') || !columns.some(({ name }) => name === 'created_at'))
      throw new HoldfastError(
        'BAD_STATE',
        `${path} has no table sessions (id, created_at, updated_at, title, messages)`,
      );
    const rows = db.prepare('SELECT id, title, created_at, updated_at, messages FROM sessions ORDER BY updated_at');
    for (const row of rows.iterate()) yield JSON.stringify({ ...row });
  } finally {
    db.close();
  }
}

/** True if an SQLite database is a session store of ours. */
export async function isStore(path: string): Promise<boolean> {
  const { DatabaseSync } = await nodeSqlite();
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db
      .prepare(`SELECT name FROM pragma_table_info('entries')`)
      .all()
      .some(({ name }) => name === 'body');
  } finally {
    db.close();
  }
}
