import type { PoolClient } from 'pg';
import { checkVersion } from '../sqlite/schema.ts';

/** The version of the tables. A store of another one is refused. */
const VERSION = 1;

/** `$` is the schema. */
const TABLES = `CREATE TABLE $.sessions (
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
     kind TEXT,
     revisions TEXT NOT NULL
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
     revision BIGINT,
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
   CREATE INDEX passages_words ON $.passages USING GIN (words);`;

/** An arbitrary number, the same in all versions. */
const LOCK = 7_201_513;

/** Makes the tables of a new schema, one process at a time. Throws BAD_STATE if it has those of another version. */
export async function createTables(client: PoolClient, schema: string, place: string): Promise<void> {
  if (await isMade(client, schema, place)) return;
  // Before the transaction, which would not see what others create in the meantime.
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    if (!(await isMade(client, schema, place))) {
      await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      await client.query(TABLES.replaceAll('$', schema));
      await client.query(`CREATE TABLE ${schema}.version (version INT NOT NULL)`);
      await client.query(`INSERT INTO ${schema}.version VALUES ($1)`, [VERSION]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
}

/** True if the tables are there, false if the schema has none. Throws BAD_STATE for those of another version. */
async function isMade(client: PoolClient, schema: string, place: string): Promise<boolean> {
  const { rows: found } = await client.query('SELECT to_regclass($1) AS name', [`${schema}.version`]);
  if (found[0]?.name === null) return false;
  const { rows } = await client.query(`SELECT version FROM ${schema}.version`);
  checkVersion(place, Number(rows[0]?.version ?? 0), VERSION);
  return true;
}
