import { HoldfastError, messageHandle } from 'holdfast';
import type { PoolClient } from 'pg';
import { readHandle } from '../log/handles.ts';
import { advance, conflict, type Head, type LogRow, newHead, unknownSession } from '../log/head.ts';
import { readOnly } from '../log/read-only-store.ts';
import {
  type Candidate,
  type EntryRow,
  type HeadRow,
  headOf,
  hitsOf,
  infoOf,
  type MessageRow,
  PAGE_BYTES,
  PAGE_ENTRIES,
  pageOf,
  placedMessage,
  soundInfoOf,
  storedEntry,
} from '../log/rows.ts';
import { messageText } from '../recall/message-text.ts';
import { passagesOf, wordHash, wordsIn } from '../recall/passages.ts';
import { BEHIND_ALL, MOST_WORDS, onlyOne, SPARE, type StoreOptions } from '../sqlite/sqlite.ts';
import type { FoundMessage, PlacedMessage, SessionStore } from '../store.ts';
import { connections } from './connection.ts';
import { postgresQueries } from './queries.ts';
import { migrateTables } from './schema.ts';

/** How long opening waits for a server: the address may be wrong. */
const OPENING_MS = 3_000;

/** Where the server is, as `pg` takes it, and the schema of the tables. */
export interface PostgresOptions extends StoreOptions {
  readonly url?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string | (() => string | Promise<string>);
  readonly database?: string;
  /** Most connections. Default 4. */
  readonly connections?: number;
  /** Letters, digits and `_`. Default `holdfast`; created if missing. */
  readonly schema?: string;
}

/**
 * A store on a Postgres server, for any number of machines. Creates missing tables, and survives restarts of the server. Throws
 * BAD_CONFIG for an invalid schema, BAD_STATE if the server does not answer or the tables are of a newer version.
 */
export async function postgres(where: string | PostgresOptions): Promise<SessionStore> {
  const options: PostgresOptions = typeof where === 'string' ? { url: where } : where;
  const { url, schema = 'holdfast', connections: max = 4, mask_keys: mask = false, ...rest } = options;
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    throw new HoldfastError('BAD_CONFIG', `invalid schema "${schema}": use lowercase letters, digits and _`);
  const pool = await connections({ ...rest, max, ...(url === undefined ? {} : { connectionString: url }) });
  try {
    await pool.run((client) => migrateTables(client, schema, `schema ${schema}`), OPENING_MS);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return storeOn(pool.run, pool.close, schema, mask);
}

type Run = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;

function storeOn(run: Run, close: () => Promise<void>, schema: string, mask: boolean): SessionStore {
  const sql = postgresQueries(schema);
  const rowsOf = async <R>(client: PoolClient, text: string, values: readonly unknown[]) =>
    (await client.query({ text, values: [...values] })).rows as R[];
  const headRow = async (client: PoolClient, id: string, text = sql.session) =>
    (await rowsOf<HeadRow & { readonly key: string }>(client, text, [id]))[0];
  const known = async (client: PoolClient, id: string, text?: string) => {
    const row = await headRow(client, id, text);
    if (!row) throw unknownSession(id);
    return row;
  };
  return {
    mask_keys: mask,
    create: async (session = {}) => {
      const { eras: _, ...info } = newHead(session, mask);
      return run(async (client) => {
        const made = await rowsOf(client, sql.create, headValues({ ...info, eras: [] }));
        if (made.length > 0) return info;
        // Created by an earlier attempt, whose answer was lost.
        const there = await headRow(client, info.id);
        if (session.id === undefined && there) return info;
        const text = `session ${info.id} already exists: choose another id`;
        throw new HoldfastError('STORE_CONFLICT', text, { session: info.id });
      });
    },
    append: (session, entries, after, times) => {
      const now = Date.now();
      let tried: Head | undefined;
      return run((client) =>
        inTransaction(client, async () => {
          const { key, ...row } = await known(client, session, sql.locked);
          const before = headOf(row as HeadRow);
          if (tried && (await hasHash(client, sql.hashAt, key, tried))) return tried.last;
          if (before.last !== after) throw conflict(session, after, before.last);
          const { head, rows } = advance(before, entries, times ?? now, mask);
          if (rows.length === 0) return head.last;
          tried = head;
          await addRows(client, sql, key, rows);
          await client.query(sql.update, [...headValues(head), key]);
          return head.last;
        }),
      );
    },
    read: (session, { types, reverse = false, limit = PAGE_ENTRIES, from, onBroken } = {}) =>
      run(async (client) => {
        const { key } = await known(client, session);
        const start = from ?? (reverse ? Number.MAX_SAFE_INTEGER : 1);
        const values = [key, start, types ?? null, limit + 1, PAGE_BYTES];
        const rows = await rowsOf<EntryRow>(client, reverse ? sql.back : sql.forth, values);
        return pageOf(
          rows,
          limit,
          (row) => storedEntry(session, row, onBroken),
          ({ seq }) => seq,
        );
      }),
    history: (session, { from = 0, limit = PAGE_ENTRIES, at } = {}) =>
      run(async (client) => {
        const { key, ...now } = await known(client, session);
        const { last, messages } = at ?? now;
        const values = [key, from, messages, limit + 1, PAGE_BYTES, last];
        const rows = await rowsOf<MessageRow>(client, sql.history, values);
        const made = (row: MessageRow): PlacedMessage => placedMessage(session, row);
        return pageOf(rows, limit, made, ({ place }) => place);
      }),
    message: (session, place) =>
      run(async (client) => {
        const { key, messages } = await known(client, session);
        const find = async (by: FoundMessage['by'], text: string, values: readonly unknown[], index?: number) => {
          const [row] = await rowsOf<MessageRow>(client, text, [key, ...values]);
          return row && { ...placedMessage(session, row, index), by };
        };
        const now = async (index: number) =>
          index < Number(messages) ? find('place', sql.current, [index]) : undefined;
        if (typeof place === 'number') return now(place);
        const [, seq] = /^#(\d{1,15})$/.exec(place.trim()) ?? [];
        if (seq !== undefined) return find('name', sql.bySeq, [seq]);
        const named = readHandle(place);
        if (named === undefined) return undefined;
        const [record] = await rowsOf<{ target: string }>(client, sql.byHandle, [
          key,
          messageHandle(named.place, named.era),
        ]);
        if (record) return find('record', sql.bySeq, [record.target], named.place);
        const own = await find('name', sql.byEra, [named.place, named.era]);
        return own ?? (named.era === 0 ? now(named.place) : undefined);
      }),
    info: (session) =>
      run(async (client) => {
        const row = await headRow(client, session);
        return row && soundInfoOf(row);
      }),
    list: ({ limit = null, before, prefix = '', suffix = '' } = {}) =>
      run(async (client) => {
        const { updated, id } = before ?? BEHIND_ALL;
        const values = [updated, id, prefix, `${prefix}\u{10ffff}`, suffix, limit];
        return (await rowsOf<HeadRow>(client, sql.list, values)).map(infoOf);
      }),
    find: (prefix) =>
      run(async (client) => {
        const exact = await headRow(client, prefix);
        if (exact) return infoOf(exact);
        const rows = await rowsOf<HeadRow>(client, sql.find, [prefix, `${prefix}\u{10ffff}`]);
        return onlyOne(prefix, rows.map(infoOf));
      }),
    search: (words, { session, limit = 5 } = {}) =>
      run(async (client) => {
        const key = session === undefined ? null : (await known(client, session)).key;
        const asked = [...new Set(wordsIn(words))].slice(0, MOST_WORDS);
        if (asked.length === 0 || limit < 1) return [];
        const hashes = [...new Set(asked.map(wordHash))];
        const rows = await rowsOf<Candidate>(client, sql.search, [key, hashes, limit * SPARE]);
        return hitsOf(rows, new Set(asked), limit);
      }),
    delete: (session) =>
      run(async (client) => {
        const { rowCount } = await client.query(sql.drop, [session]);
        if (rowCount === 0) throw unknownSession(session);
      }),
    snapshot: (work) =>
      run((client) =>
        inTransaction(
          client,
          () => {
            const onClient: Run = (one) => one(client);
            return work(readOnly(storeOn(onClient, async () => {}, schema, mask)));
          },
          MOMENT,
        ),
      ),
    close,
  };
}

/** True if an earlier attempt succeeded, and only its answer was lost. */
async function hasHash(client: PoolClient, text: string, key: string, { last, hash }: Head): Promise<boolean> {
  const { rows } = await client.query(text, [key, last]);
  return rows[0]?.hash === hash;
}

async function addRows(
  client: PoolClient,
  sql: ReturnType<typeof postgresQueries>,
  session: string,
  rows: readonly LogRow[],
): Promise<void> {
  const column = (name: keyof LogRow) => rows.map((row) => row[name]);
  const columns = (['seq', 'time', 'type', 'hash', 'place', 'era', 'handle', 'target', 'body'] as const).map(column);
  const added = (await client.query(sql.add, [session, ...columns])).rows as { key: string; seq: string }[];
  const keys = new Map(added.map(({ key, seq }) => [Number(seq), key]));
  const passages = rows.flatMap(({ seq, entry }) => {
    const text = entry.type === 'message' ? messageText(entry.message) : '';
    return passagesOf(text).map(({ start, end }) => {
      const hashes = [...new Set(wordsIn(text.slice(start, end)).map(wordHash))];
      return { entry: keys.get(seq), start, end, words: `{${hashes.join(',')}}` };
    });
  });
  if (passages.length === 0) return;
  const listed = (name: 'entry' | 'start' | 'end' | 'words') => passages.map((passage) => passage[name]);
  await client.query(sql.addPassages, [session, listed('entry'), listed('start'), listed('end'), listed('words')]);
}

/** In the order of the columns of `postgresQueries`. */
function headValues(head: Head): unknown[] {
  const { id, title, created, updated, last, hash, messages, folds, bytes, tokens, cost } = head;
  const { provider = null, model = null, dialect = null, kind = null, eras } = head;
  const counts = [last, hash, messages, folds, bytes, tokens, cost];
  return [id, title, created, updated, ...counts, provider, model, dialect, kind, JSON.stringify(eras)];
}

/** Whatever the server's settings: acknowledged means on disk. */
const BEGIN = 'BEGIN; SET LOCAL synchronous_commit = on';

/** The first query fixes the snapshot. */
const MOMENT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1';

async function inTransaction<T>(client: PoolClient, work: () => Promise<T>, begin = BEGIN): Promise<T> {
  await client.query(begin);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}
