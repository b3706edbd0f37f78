import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { HoldfastError, isHoldfastError } from 'holdfast';
import { chainHash, NO_HASH, type SessionEntry } from '../entry.ts';
import { messageOf, parseEntry } from '../log/broken-entry.ts';
import { createCopier } from '../log/writer.ts';
import { nodeSqlite } from '../sqlite/node-sqlite.ts';
import { openDamaged } from '../sqlite/read-only.ts';
import type { SessionInfo, SessionStore } from '../store.ts';
import { readableRows, type TableRow } from './table-rows.ts';

/** What became of one session of a damaged store. */
export interface Salvaged {
  /** As the new store has it; undefined if nothing of it could be read. */
  readonly info: SessionInfo | undefined;
  /** Its id in the damaged store; undefined if that is lost. */
  readonly id: string | undefined;
  /** How many entries were written. */
  readonly entries: number;
  /** Why it is not whole; undefined if it is. */
  readonly problem?: string;
}

/** The session of a damaged store: its id and its row, if they can be read, and the keys of its entries by their numbers. */
interface Found {
  readonly id: string | undefined;
  readonly row: TableRow | undefined;
  readonly keys: Map<number, number>;
}

/** Bytes of the smallest row of a session or an entry: their hashes alone are longer. */
const LEAST_ROW = 64;

/**
 * Writes the sessions of a damaged SQLite store into another store: whole ones, and of the others what comes before the first
 * entry that is missing or changed. Every entry is checked by its hash. The damaged store stays as it is. Throws BAD_STATE if
 * nothing can be read of it.
 */
export async function* salvageStore(path: string, target: SessionStore): AsyncGenerator<Salvaged> {
  const { DatabaseSync } = await nodeSqlite();
  const full = resolve(path);
  let db: DatabaseSync | undefined;
  try {
    db = openDamaged(DatabaseSync, full);
    const entry = db.prepare('SELECT * FROM entries NOT INDEXED WHERE rowid = ?');
    for (const [, found] of sessionsIn(db, full)) {
      const entries = checkedEntries(found, (key) => Object.values(entry.get(key) ?? {}));
      yield await salvage(found, entries, target);
    }
  } catch (error) {
    if (isHoldfastError(error)) throw error;
    throw nothing(full, error);
  } finally {
    db?.close();
  }
}

function nothing(path: string, error: unknown): HoldfastError {
  const text = `nothing of ${path} can be salvaged (${messageOf(error)}): restore it from a backup`;
  return new HoldfastError('BAD_STATE', text, {}, error);
}

function sessionsIn(db: DatabaseSync, path: string): Map<number, Found> {
  const most = Math.ceil(statSync(path).size / LEAST_ROW) + keyBound(db);
  const sessions = new Map<number, Found>();
  for (const [key, id] of indexedIds(db)) sessions.set(key, { id, row: undefined, keys: new Map() });
  for (const row of readableRows(db, 'sessions', most)) {
    const [key, id] = row;
    sessions.set(Number(key), { id: typeof id === 'string' ? id : undefined, row, keys: new Map() });
  }
  for (const [key, session, seq] of readableRows(db, 'entries', most)) {
    const found = sessions.get(Number(session)) ?? { id: undefined, row: undefined, keys: new Map<number, number>() };
    sessions.set(Number(session), found);
    found.keys.set(Number(seq), Number(key));
  }
  // As they were created.
  return new Map([...sessions].sort(([a], [b]) => a - b));
}

/** The ids that the index of ids has: handles of conversations contain them. */
function indexedIds(db: DatabaseSync): Map<number, string> {
  const ids = new Map<number, string>();
  try {
    const rows = db.prepare('SELECT rowid AS key, id FROM sessions INDEXED BY sqlite_autoindex_sessions_1');
    for (const { key, id } of rows.iterate()) if (typeof id === 'string') ids.set(Number(key), id);
  } catch {
    // What was read until then is enough: rows say the same.
  }
  return ids;
}

/** The largest key, if it can be read: deleted sessions leave gaps, so it may exceed what the file has room for. */
function keyBound(db: DatabaseSync): number {
  const bounds = ['sessions', 'entries'].map((table) => {
    try {
      return Number(db.prepare(`SELECT max(rowid) AS most FROM ${table} NOT INDEXED`).get()?.most ?? 0);
    } catch {
      return 0;
    }
  });
  return Math.max(...bounds);
}

/** An entry that is as it was written. */
interface Checked {
  readonly entry: SessionEntry;
  readonly time: number;
}

/** The entries of a session in order, up to the first that is missing or changed; returns what is wrong with that. */
function* checkedEntries(
  { row, keys }: Found,
  read: (key: number) => TableRow,
): Generator<Checked, string | undefined> {
  let last = Number(row?.[5] ?? 0);
  for (const seq of keys.keys()) last = Math.max(last, seq);
  let hash = NO_HASH;
  for (let seq = 1; seq <= last; seq++) {
    const key = keys.get(seq);
    if (key === undefined) return `entry ${seq} of ${last} cannot be read`;
    try {
      const [, , , time, type, stored, , , , , body] = read(key);
      hash = chainHash(hash, seq, Number(time), String(body));
      if (hash !== stored) return `entry ${seq} of ${last} was changed`;
      yield { entry: parseEntry(String(body), String(type)), time: Number(time) };
    } catch (error) {
      return `entry ${seq} of ${last} is broken: ${messageOf(error)}`;
    }
  }
  return row ? undefined : 'its row in the list of sessions cannot be read';
}

async function salvage(
  { id, row }: Found,
  entries: Generator<Checked, string | undefined>,
  target: SessionStore,
): Promise<Salvaged> {
  let next = entries.next();
  if (next.done && next.value !== undefined) return { id, info: undefined, entries: 0, problem: next.value };
  const { id: made } = await created(target, id, row);
  const copy = createCopier(target, made);
  let refusal: string | undefined;
  try {
    for (; !next.done; next = entries.next()) await copy.add(next.value.entry, next.value.time);
    await copy.flush();
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'INVALID_HISTORY') throw error;
    refusal = messageOf(error);
  }
  const info = await target.info(made);
  const problem = refusal ?? (next.done ? next.value : undefined);
  return { id, info, entries: info?.last ?? 0, ...(problem === undefined ? {} : { problem }) };
}

/** A new session with the id of the damaged one; if that is damaged or taken, too, with another. */
async function created(target: SessionStore, id: string | undefined, row: TableRow | undefined): Promise<SessionInfo> {
  const [title, time] = [row?.[2], row?.[3]];
  const rest = {
    ...(typeof title === 'string' ? { title } : {}),
    ...(Number.isSafeInteger(time) ? { created: Number(time) } : {}),
  };
  if (id === undefined) return await target.create(rest);
  return await target.create({ id, ...rest }).catch((error: unknown) => {
    if (isHoldfastError(error) && /^(?:BAD_CONFIG|STORE_CONFLICT)$/.test(error.code)) return target.create(rest);
    throw error;
  });
}
