import { HEAD_COLUMNS as HEAD, messageColumns } from '../log/rows.ts';

/** All statements of the Postgres store, for one schema. */
export function postgresQueries(schema: string) {
  const names = HEAD.split(', ');
  const columns = messageColumns(`${schema}.entries`);
  const message = `SELECT ${columns} FROM ${schema}.entries e`;
  /** The server sends a page of bytes at most; one row more tells where the next page starts. */
  const page = (columns: string, from: string, order: string) => `SELECT ${columns} FROM
    (SELECT p.*, sum(octet_length(body)) OVER (ORDER BY ${order}) - octet_length(body) AS before FROM (${from}) p) q
    WHERE before <= $5 ORDER BY ${order}`;
  const read = (compare: string, order: string) =>
    page(
      'seq, time, type, hash, body',
      `SELECT seq, time, type, hash, body FROM ${schema}.entries WHERE session = $1 AND seq ${compare} $2 AND
        ($3::text[] IS NULL OR type = ANY ($3)) ORDER BY seq ${order} LIMIT $4`,
      `seq ${order}`,
    );
  return {
    session: `SELECT key, ${HEAD} FROM ${schema}.sessions WHERE id = $1`,
    locked: `SELECT key, ${HEAD} FROM ${schema}.sessions WHERE id = $1 FOR UPDATE`,
    create: `INSERT INTO ${schema}.sessions (${HEAD}) VALUES (${names.map((_, i) => `$${i + 1}`).join(', ')})
      ON CONFLICT (id) DO NOTHING RETURNING key`,
    update: `UPDATE ${schema}.sessions SET ${names.map((name, i) => `${name} = $${i + 1}`).join(', ')}
      WHERE key = $${names.length + 1}`,
    hashAt: `SELECT hash FROM ${schema}.entries WHERE session = $1 AND seq = $2`,
    add: `INSERT INTO ${schema}.entries (session, seq, time, type, hash, place, revision, handle, target, body)
      SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
        $9::bigint[], $10::text[]) RETURNING key, seq`,
    addPassages: `INSERT INTO ${schema}.passages (session, entry, first, behind, words)
      SELECT $1, e, f, b, w::int[] FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) AS p (e, f, b, w)`,
    forth: read('>=', 'ASC'),
    back: read('<=', 'DESC'),
    history: page(
      'seq, time, place, revision, type, body, taken',
      `${message} WHERE e.session = $1 AND e.place >= $2 AND e.place < $3 AND e.seq = (SELECT max(n.seq) FROM ${schema}.entries n
        WHERE n.session = $1 AND n.place = e.place AND n.seq <= $6) ORDER BY e.place LIMIT $4`,
      'place',
    ),
    current: `${message} WHERE e.session = $1 AND e.place = $2 ORDER BY e.seq DESC LIMIT 1`,
    byRevision: `${message} WHERE e.session = $1 AND e.place = $2 AND e.revision = $3`,
    bySeq: `${message} WHERE e.session = $1 AND e.seq = $2 AND e.type IN ('message', 'handle')`,
    byHandle: `${message} WHERE e.session = $1 AND e.type IN ('message', 'handle') AND
      e.seq = (SELECT target FROM ${schema}.entries WHERE session = $1 AND handle = $2 LIMIT 1)`,
    list: `SELECT ${HEAD} FROM ${schema}.sessions WHERE (updated, id) < ($1::bigint, $2::text COLLATE "C") AND
      id >= $3 AND id < $4 AND right(id, length($5)) = $5 ORDER BY updated DESC, id DESC LIMIT $6`,
    find: `SELECT ${HEAD} FROM ${schema}.sessions WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 10`,
    /** Rare words weigh more than common ones. */
    search: `WITH asked AS (SELECT unnest($2::int[]) AS word),
      found AS MATERIALIZED (SELECT p.key, cardinality(p.words) AS size, asked.word FROM ${schema}.passages p, unnest(p.words) AS w
        JOIN asked ON asked.word = w WHERE p.words && $2::int[] AND ($1::bigint IS NULL OR p.session = $1)),
      total AS (SELECT count(*)::float8 AS n FROM ${schema}.passages WHERE $1::bigint IS NULL OR session = $1),
      weights AS (SELECT word, ln(1 + (n - count(*) + 0.5) / (count(*) + 0.5)) AS weight FROM found, total GROUP BY word, n),
      scored AS (SELECT f.key, sum(weight) / (0.7 + 0.3 * min(size) / 80.0) AS score FROM found f JOIN weights USING (word)
        GROUP BY f.key ORDER BY score DESC, key DESC LIMIT $3),
      best AS (SELECT p.*, score FROM scored JOIN ${schema}.passages p USING (key))
      SELECT ${columns}, s.id AS session, b.first AS start, b.behind AS end FROM best b
      JOIN ${schema}.entries e ON e.key = b.entry JOIN ${schema}.sessions s ON s.key = e.session
      ORDER BY b.score DESC, b.key DESC`,
    drop: `DELETE FROM ${schema}.sessions WHERE id = $1`,
  };
}
