import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { advance, alreadyThere, conflict, type LogRow, newHead, unknownSession } from '../log/head.ts';
import { readOnly } from '../log/read-only-store.ts';
import {
  entryPage,
  foundMessage,
  HEAD_COLUMNS,
  type HeadRow,
  headOf,
  headValues,
  hitsOf,
  infoOf,
  listedInfo,
  listValues,
  lookups,
  messageColumns,
  messagePage,
  onlyOne,
  PAGE_ENTRIES,
  SPARE,
  wordsAsked,
} from '../log/rows.ts';
import type { SessionStore } from '../store.ts';
import { guarded, isBusy, isDerived } from './errors.ts';
import { nodeSqlite } from './node-sqlite.ts';
import { openReadOnly } from './read-only.ts';
import { createTables } from './schema.ts';
import { addPassages, passageStatements, rebuildDerived } from './search-index.ts';

export interface SqliteOptions extends StoreOptions {
  /** Stores nothing; file and folder may be read-only. Throws BAD_STATE if it is empty, or of another version. */
  readonly read_only?: boolean;
  /** How long a write waits for other processes; other work of this process continues meanwhile. Default 30 seconds. */
  readonly busy_ms?: number;
}

export interface StoreOptions {
  /** Masks key-like strings before anything is written. Default false. */
  readonly mask_keys?: boolean;
}

/** How long a writer waits for others; an append takes milliseconds. */
const BUSY_MS = 30_000;
/** How long it lets the process do other work before it tries again. */
const PAUSE_MS = 5;
/** Instead of a path: a store in memory, gone when it is closed. */
const IN_MEMORY = ':memory:';

/**
 * A store in one SQLite file, for any number of processes on one machine. Opens or creates it, readable only by its owner;
 * `:memory:` is a new one that is never on disk. Rebuilds a damaged search index. Throws BAD_STATE if anything else is damaged,
 * or if a newer version wrote it.
 */
export async function sqlite(path: string, options: SqliteOptions = {}): Promise<SessionStore> {
  const { DatabaseSync } = await nodeSqlite();
  const full = path === IN_MEMORY ? path : resolve(path);
  if (options.read_only && full !== IN_MEMORY) {
    return guarded(full, () => readOnly(storeOn(openReadOnly(DatabaseSync, full), full, options)));
  }
  return guarded(full, () => {
    if (full !== IN_MEMORY) makePrivate(full);
    const opened = new DatabaseSync(full, { timeout: BUSY_MS });
    try {
      createTables(opened, full);
      opened.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864');
      opened.exec('PRAGMA busy_timeout = 0');
      return storeOn(opened, full, options, full === IN_MEMORY ? undefined : () => atOnce(DatabaseSync, full));
    } catch (error) {
      opened.close();
      throw error;
    }
  });
}

/** A connection to a snapshot of the database. */
function atOnce(Database: typeof DatabaseSync, path: string): DatabaseSync {
  const db = new Database(path, { timeout: BUSY_MS });
  try {
    // The first read fixes the snapshot.
    db.exec('PRAGMA query_only = ON; BEGIN; SELECT count(*) FROM sessions');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite's other files inherit the mode of this one. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function storeOn(db: DatabaseSync, path: string, options: SqliteOptions, moment?: () => DatabaseSync): SessionStore {
  const { mask_keys: mask = false, busy_ms = BUSY_MS, read_only = false } = options;
  const rebuild = () => guarded(path, () => inTransaction(db, () => rebuildDerived(db)));
  let sql = prepared(db, read_only ? undefined : rebuild);
  let waiting = 0;
  let isRebuilt = false;
  // SQLite itself would wait for other processes by blocking this one.
  const run = async <T>(work: () => T): Promise<T> => {
    for (const end = performance.now() + busy_ms; ; ) {
      try {
        return guarded(path, work);
      } catch (error) {
        // Once: if it fails again, something else is damaged.
        if (isDerived(error) && !read_only && !isRebuilt) {
          isRebuilt = true;
          rebuild();
          sql = statements(db);
          continue;
        }
        if (!isBusy(error) || performance.now() >= end) throw error;
      }
      waiting++;
      await setTimeout(PAUSE_MS);
      waiting--;
    }
  };
  const headRow = (id: string) => sql.session.get(id) as (HeadRow & { key: number }) | undefined;
  const known = (id: string) => {
    const row = headRow(id);
    if (!row) throw unknownSession(id);
    return row;
  };
  return {
    mask_keys: mask,
    create: (session = {}) =>
      run(() => {
        const head = newHead(session, mask);
        if (sql.create.run(...headValues(head)).changes === 0) throw alreadyThere(head.id);
        return infoOf(head);
      }),
    append: (session, entries, after, times) =>
      run(() =>
        inTransaction(db, () => {
          const { key, ...row } = known(session);
          const before = headOf(row as HeadRow);
          if (before.last !== after) throw conflict(session, after, before.last);
          const { head, rows } = advance(before, entries, times ?? Date.now(), mask);
          for (const one of rows) addRow(sql, key, one);
          if (rows.length > 0) sql.update.run(...headValues(head), key);
          return head.last;
        }),
      ),
    read: (session, { types, reverse = false, limit = PAGE_ENTRIES, from, onBroken } = {}) =>
      run(() => {
        const start = from ?? (reverse ? Number.MAX_SAFE_INTEGER : 1);
        const { key } = known(session);
        const count = limit + 1;
        const rows = types
          ? sql[reverse ? 'typedBack' : 'typed'].iterate(key, start, JSON.stringify(types), count)
          : sql[reverse ? 'back' : 'forth'].iterate(key, start, count);
        return entryPage(session, rows, limit, onBroken);
      }),
    history: (session, { from = 0, limit = PAGE_ENTRIES, at } = {}) =>
      run(() => {
        const { key, ...now } = known(session);
        const { last, messages } = at ?? now;
        const rows = sql.history.iterate(key, from, Number(messages), limit + 1, Number(last));
        return messagePage(session, rows, limit);
      }),
    message: (session, place) =>
      run(() => {
        const { key, messages } = known(session);
        for (const lookup of lookups(place, Number(messages))) {
          const found = foundMessage(session, sql[lookup.query].get(key, ...lookup.values), lookup);
          if (found) return found;
        }
        return undefined;
      }),
    info: (session) =>
      run(() => {
        const row = headRow(session);
        return row && infoOf(headOf(row));
      }),
    list: (options) =>
      run(() => {
        const query = sql[options?.prefix ? 'listNamed' : 'list'];
        return (query.all(...listValues(options)) as HeadRow[]).map(listedInfo);
      }),
    find: (prefix) =>
      run(() => {
        const exact = headRow(prefix);
        return exact ? listedInfo(exact) : onlyOne(prefix, sql.find.all(prefix, `${prefix}\u{10ffff}`) as HeadRow[]);
      }),
    search: (words, { session, limit = 5 } = {}) =>
      run(() => {
        const asked = wordsAsked(words);
        const scope = session === undefined ? '' : `session : s${known(session).key} AND `;
        if (asked.length === 0 || limit < 1) return [];
        const match = `${scope}text : (${asked.map((word) => `"${word}"`).join(' OR ')})`;
        return hitsOf(sql.search.iterate(match, limit * SPARE), new Set(asked), limit);
      }),
    delete: async (session) => {
      await run(() =>
        inTransaction(db, () => {
          const { key } = known(session);
          for (const statement of [sql.dropWords, sql.dropPassages, sql.dropEntries, sql.dropSession])
            statement.run(key);
        }),
      );
      await run(() => db.exec('PRAGMA incremental_vacuum'));
    },
    ...(moment && {
      async snapshot<T>(work: (moment: SessionStore) => Promise<T>): Promise<T> {
        const reader = await run(() => storeOn(moment(), path, options));
        try {
          return await work(readOnly(reader));
        } finally {
          await reader.close();
        }
      },
    }),
    close: async () => {
      while (waiting > 0) await setTimeout(PAUSE_MS);
      if (db.isOpen) db.close();
    },
  };
}

function addRow(sql: Statements, session: number, row: LogRow): void {
  const { seq, time, type, hash, place, revision, handle, target, body, entry } = row;
  const added = sql.add.run({ session, seq, time, type, hash, place, revision, handle, target, body });
  if (entry.type !== 'message') return;
  addPassages(sql, session, Number(added.lastInsertRowid), entry.message);
}

type Statements = ReturnType<typeof statements>;

/** All statements. If a table or an index that is derived is missing or changed, `rebuild` is called first. */
function prepared(db: DatabaseSync, rebuild: (() => void) | undefined): Statements {
  try {
    return statements(db);
  } catch (error) {
    if (!rebuild) throw error;
    // These two throw if they are what is damaged.
    for (const columns of [`${HEAD_COLUMNS} FROM sessions`, `${COLUMNS}, e.hash FROM entries e`])
      db.prepare(`SELECT ${columns}`);
    rebuild();
    return statements(db);
  }
}

const COLUMNS = messageColumns('entries');
const MESSAGE = `SELECT ${COLUMNS} FROM entries e`;
const ENTRY = 'SELECT seq, time, type, hash, body FROM entries';

function statements(db: DatabaseSync) {
  const names = HEAD_COLUMNS.split(', ');
  // Sort the keys alone, not the texts.
  const typed = (
    compare: string,
    order: string,
  ) => `${ENTRY} WHERE key IN (SELECT key FROM entries INDEXED BY entries_type
    WHERE session = ?1 AND seq ${compare} ?2 AND type IN (SELECT value FROM json_each(?3)) ORDER BY seq ${order} LIMIT ?4)
    ORDER BY seq ${order}`;
  const listed = (
    id: string,
  ) => `SELECT ${HEAD_COLUMNS} FROM sessions WHERE (updated, id) < (?1, ?2) AND ${id} >= ?3 AND ${id} < ?4
    AND (?5 = '' OR substr(id, -length(?5)) = ?5) ORDER BY updated DESC, id DESC LIMIT ?6`;
  return {
    session: db.prepare(`SELECT key, ${HEAD_COLUMNS} FROM sessions WHERE id = ?`),
    create: db.prepare(
      `INSERT INTO sessions (${HEAD_COLUMNS}) VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`,
    ),
    update: db.prepare(`UPDATE sessions SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE key = ?`),
    add: db.prepare(`INSERT INTO entries (session, seq, time, type, hash, place, revision, handle, target, body)
      VALUES (:session, :seq, :time, :type, :hash, :place, :revision, :handle, :target, :body)`),
    ...passageStatements(db),
    forth: db.prepare(`${ENTRY} WHERE session = ? AND seq >= ? ORDER BY seq LIMIT ?`),
    back: db.prepare(`${ENTRY} WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT ?`),
    typed: db.prepare(typed('>=', 'ASC')),
    typedBack: db.prepare(typed('<=', 'DESC')),
    history: db.prepare(`${MESSAGE} WHERE e.session = ?1 AND e.place >= ?2 AND e.place < ?3 AND e.seq =
      (SELECT max(seq) FROM entries WHERE session = ?1 AND place = e.place AND seq <= ?5) ORDER BY e.place LIMIT ?4`),
    current: db.prepare(`${MESSAGE} WHERE e.session = ? AND e.place = ? ORDER BY e.seq DESC LIMIT 1`),
    byRevision: db.prepare(`${MESSAGE} WHERE e.session = ? AND e.place = ? AND e.revision = ?`),
    bySeq: db.prepare(`${MESSAGE} WHERE e.session = ? AND e.seq = ? AND e.type IN ('message', 'handle')`),
    byHandle: db.prepare(`${MESSAGE} WHERE e.session = ?1 AND e.type IN ('message', 'handle') AND
      e.seq = (SELECT target FROM entries WHERE session = ?1 AND handle = ?2 LIMIT 1)`),
    // By last use, without reading all of them; those with a prefix are few, and found by their ids.
    list: db.prepare(listed('+id')),
    listNamed: db.prepare(listed('id')),
    find: db.prepare(`SELECT ${HEAD_COLUMNS} FROM sessions WHERE id >= ? AND id < ? ORDER BY id LIMIT 10`),
    search: db.prepare(`SELECT ${COLUMNS}, s.id AS session, p.start, p."end" FROM
      (SELECT rowid, bm25(words, 0.0, 1.0) AS score FROM words WHERE words MATCH ?1 ORDER BY score, rowid DESC LIMIT ?2) w
      JOIN passages p ON p.key = w.rowid JOIN entries e ON e.key = p.entry JOIN sessions s ON s.key = e.session
      ORDER BY w.score, w.rowid DESC`),
    dropWords: db.prepare(
      'DELETE FROM words WHERE rowid IN (SELECT p.key FROM passages p JOIN entries e ON e.key = p.entry WHERE e.session = ?)',
    ),
    dropPassages: db.prepare('DELETE FROM passages WHERE entry IN (SELECT key FROM entries WHERE session = ?)'),
    dropEntries: db.prepare('DELETE FROM entries WHERE session = ?'),
    dropSession: db.prepare('DELETE FROM sessions WHERE key = ?'),
  };
}

/** Runs `work` in a transaction, without other writers. */
function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The files of a named store; none for a server, `:memory:` or the default. Pure. */
export function storeFiles(named: string | undefined): string[] {
  if (named === undefined || named === ':memory:' || /^[a-z][a-z0-9+.-]+:\/\//i.test(named)) return [];
  return ['', '-wal', '-shm', '-journal'].map((ending) => named + ending);
}
