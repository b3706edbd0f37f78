import { HoldfastError } from 'holdfast';
import type { PoolClient } from 'pg';
import { advance, alreadyThere, conflict, type Head, type LogRow, newHead, unknownSession } from '../log/head.ts';
import { readOnly } from '../log/read-only-store.ts';
import {
  entryPage,
  foundMessage,
  type HeadRow,
  headOf,
  headValues,
  hitsOf,
  infoOf,
  listedInfo,
  listValues,
  lookups,
  messagePage,
  onlyOne,
  PAGE_BYTES,
  PAGE_ENTRIES,
  SPARE,
  wordsAsked,
} from '../log/rows.ts';
import { messageText } from '../recall/message-text.ts';
import { passagesOf, wordHash, wordsIn } from '../recall/passages.ts';
import type { StoreOptions } from '../sqlite/sqlite.ts';
import type { SessionStore } from '../store.ts';
import { connections } from './connection.ts';
import { postgresQueries } from './queries.ts';
import { createTables } from './schema.ts';

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
    await pool.run((client) => createTables(client, schema, `schema ${schema}`), OPENING_MS);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return storeOn(pool.run, pool.close, schema, mask);
}

type WithClient = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>;

function storeOn(run: WithClient, close: () => Promise<void>, schema: string, mask: boolean): SessionStore {
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
      const head = newHead(session, mask);
      return run(async (client) => {
        const made = await rowsOf(client, sql.create, headValues(head));
        // Or an earlier attempt created it, whose answer was lost.
        if (made.length > 0 || (session.id === undefined && (await headRow(client, head.id)))) return infoOf(head);
        throw alreadyThere(head.id);
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
        const rows = await rowsOf(client, reverse ? sql.back : sql.forth, values);
        return entryPage(session, rows, limit, onBroken);
      }),
    history: (session, { from = 0, limit = PAGE_ENTRIES, at } = {}) =>
      run(async (client) => {
        const { key, ...now } = await known(client, session);
        const { last, messages } = at ?? now;
        const values = [key, from, messages, limit + 1, PAGE_BYTES, last];
        return messagePage(session, await rowsOf(client, sql.history, values), limit);
      }),
    message: (session, place) =>
      run(async (client) => {
        const { key, messages } = await known(client, session);
        for (const lookup of lookups(place, Number(messages))) {
          const [row] = await rowsOf(client, sql[lookup.query], [key, ...lookup.values]);
          const found = foundMessage(session, row, lookup);
          if (found) return found;
        }
        return undefined;
      }),
    info: (session) =>
      run(async (client) => {
        const row = await headRow(client, session);
        return row && infoOf(headOf(row));
      }),
    list: (options) =>
      run(async (client) => (await rowsOf<HeadRow>(client, sql.list, listValues(options))).map(listedInfo)),
    find: (prefix) =>
      run(async (client) => {
        const exact = await headRow(client, prefix);
        if (exact) return listedInfo(exact);
        return onlyOne(prefix, await rowsOf<HeadRow>(client, sql.find, [prefix, `${prefix}\u{10ffff}`]));
      }),
    search: (words, { session, limit = 5 } = {}) =>
      run(async (client) => {
        const key = session === undefined ? null : (await known(client, session)).key;
        const asked = wordsAsked(words);
        if (asked.length === 0 || limit < 1) return [];
        const hashes = [...new Set(asked.map(wordHash))];
        const rows = await rowsOf(client, sql.search, [key, hashes, limit * SPARE]);
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
            const onClient: WithClient = (one) => one(client);
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
  const columns = (['seq', 'time', 'type', 'hash', 'place', 'revision', 'handle', 'target', 'body'] as const).map(
    column,
  );
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

/** Whatever the server's settings: acknowledged means on disk, and a writer that waited for a lock sees what was written. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on';

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
