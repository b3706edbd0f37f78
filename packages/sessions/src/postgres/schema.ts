import type { PoolClient } from 'pg';
import { newerStore } from '../sqlite/schema.ts';

/** Migrations from each version to the next. Never change one; add another. `$` is the schema. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE $.sessions (
     key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     id TEXT COLLATE "C" NOT NULL UNIQUE,
     title TEXT NOT NULL,
     created BIGINT NOT NULL,
     updated BIGINT NOT NULL,
     last BIGINT NOT NULL,
     hash TEXT NOT NULL,
     messages BIGINT NOT NULL,
     folds BIGINT NOT NULL,
     bytes BIGINT NOT NULL,
     tokens DOUBLE PRECISION NOT NULL,
     cost DOUBLE PRECISION NOT NULL,
     provider TEXT,
     model TEXT,
     dialect TEXT,
     eras TEXT NOT NULL
   );
   CREATE INDEX sessions_updated ON $.sessions (updated DESC, id DESC);
   CREATE TABLE $.entries (
     key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     session BIGINT NOT NULL REFERENCES $.sessions (key) ON DELETE CASCADE,
     seq BIGINT NOT NULL,
     time BIGINT NOT NULL,
     type TEXT NOT NULL,
     hash TEXT NOT NULL,
     place BIGINT,
     era BIGINT,
     handle TEXT,
     target BIGINT,
     body TEXT NOT NULL,
     UNIQUE (session, seq)
   );
   CREATE INDEX entries_type ON $.entries (session, type, seq);
   CREATE INDEX entries_place ON $.entries (session, place, seq) WHERE place IS NOT NULL;
   CREATE INDEX entries_handle ON $.entries (session, handle) WHERE handle IS NOT NULL;
   CREATE TABLE $.passages (
     key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     session BIGINT NOT NULL REFERENCES $.sessions (key) ON DELETE CASCADE,
     entry BIGINT NOT NULL REFERENCES $.entries (key) ON DELETE CASCADE,
     first BIGINT NOT NULL,
     behind BIGINT NOT NULL,
     words INT[] NOT NULL
   );
   CREATE INDEX passages_session ON $.passages (session);
   CREATE INDEX passages_entry ON $.passages (entry);
   CREATE INDEX passages_words ON $.passages USING GIN (words);`,
  `ALTER TABLE $.sessions ADD COLUMN kind TEXT;
   UPDATE $.sessions SET kind = 'crew' WHERE provider = 'crew'`,
];

/** An arbitrary number, the same in all versions. */
const LOCK = 7_201_513;

/** Creates or migrates the tables, one process at a time. Throws BAD_STATE if a newer program wrote them. */
export async function migrateTables(client: PoolClient, schema: string, place: string): Promise<void> {
  if ((await versionOf(client, schema)) === MIGRATIONS.length) return;
  // Before the transaction, which would not see what others create in the meantime.
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    const version = await versionOf(client, schema);
    if (version > MIGRATIONS.length) throw newerStore(place, version, MIGRATIONS.length);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(`CREATE TABLE IF NOT EXISTS ${schema}.version (version INT NOT NULL)`);
    for (const step of MIGRATIONS.slice(version)) await client.query(step.replaceAll('$', schema));
    await client.query(`DELETE FROM ${schema}.version`);
    await client.query(`INSERT INTO ${schema}.version VALUES ($1)`, [MIGRATIONS.length]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
}

async function versionOf(client: PoolClient, schema: string): Promise<number> {
  const { rows: found } = await client.query('SELECT to_regclass($1) AS name', [`${schema}.version`]);
  if (found[0]?.name === null) return 0;
  const { rows } = await client.query(`SELECT version FROM ${schema}.version`);
  return Number(rows[0]?.version ?? 0);
}
