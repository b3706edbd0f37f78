import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { postgres, type SessionStore, sqlite, verifySession } from '../src/index.ts';
import { newStore, said } from './new-store.ts';
import { startPostgres } from './postgres-server.ts';
import { ended, startWriter } from './writers.ts';

const server = await startPostgres();
afterAll(() => server?.stop());

/** A session of 12 messages, a usage and a title, and another one that is sound. */
async function two(store: SessionStore): Promise<readonly [string, string]> {
  const ids: string[] = [];
  for (const id of ['hurt', 'sound']) {
    await store.create({ id });
    const talk = Array.from({ length: 12 }, (_, i) => said(`words of message ${i}`, i % 2 ? 'assistant' : 'user'));
    const last = await store.append(id, talk, 0);
    await store.append(
      id,
      [
        { type: 'usage', tokens: { input: 5, output: 1 } },
        { type: 'title', title: 'T' },
      ],
      last,
    );
    ids.push(id);
  }
  return ids as [string, string];
}

const deep = (levels: number) =>
  `{"type":"message","message":{"role":"user","content":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
const body = (text: string, seq = 5) => `UPDATE entries SET body = '${text}' WHERE seq = ${seq} AND session = 1`;

/** Damage to the session `hurt`, the problem that verify reports, and the error for a reader of message m4. */
const DAMAGES: readonly (readonly [name: string, sql: string, problem: RegExp, told?: RegExp])[] = [
  [
    'a text that is not JSON',
    body('not JSON'),
    /entry 5 \(message m4\) is broken: .*not JSON/,
    /entry 5 .*m4.* is broken/,
  ],
  ['an empty text', body(''), /entry 5 \(message m4\) is broken: .*not JSON/, /entry 5 .*is broken/],
  [
    'a text cut off',
    'UPDATE entries SET body = substr(body, 1, 30) WHERE seq = 5 AND session = 1',
    /entry 5 \(message m4\) is broken: its text of 30 characters is not JSON/,
    /entry 5 .*is broken/,
  ],
  ['a list', body('[]'), /entry 5 \(message m4\) is broken: it is not an object/, /entry 5 .*is broken/],
  ['null', body('null'), /entry 5 \(message m4\) is broken: it is not an object/, /entry 5 .*is broken/],
  ['a number', body('7'), /entry 5 \(message m4\) is broken/, /entry 5 .*is broken/],
  [
    'no message',
    body('{"type":"message"}'),
    /entry 5 \(message m4\) is broken: it has no message/,
    /entry 5 .*is broken/,
  ],
  [
    'a message that is a text',
    body('{"type":"message","message":"hi"}'),
    /entry 5 .* is broken: it has no message/,
    /entry 5 .*is broken/,
  ],
  ['no type', body('{"message":{}}'), /entry 5 \(message m4\) is broken: it has type undefined/, /entry 5 .*is broken/],
  [
    'an unknown type',
    body('{"type":"toString"}'),
    /entry 5 \(message m4\) is broken: it has type "toString"/,
    /entry 5 .*is broken/,
  ],
  [
    'another type in the text',
    body('{"type":"title","title":"x"}'),
    /entry 5 .*stored as message, but its text says title/,
    /entry 5 .*is broken/,
  ],
  [
    'another type in the table',
    `UPDATE entries SET type = 'title' WHERE seq = 5 AND session = 1`,
    /entry 5 \(title\) is broken: it is stored as title/,
  ],
  [
    'a usage of texts',
    body('{"type":"usage","tokens":{"input":"a","output":1}}', 13),
    /entry 13 \(usage\) is broken: it needs tokens/,
  ],
  ['a title of numbers', body('{"type":"title","title":7}', 14), /entry 14 \(title\) is broken: it needs a title/],
  [
    'other words',
    body('{"type":"message","message":{"role":"user","content":"hi"}}'),
    /entry 5 \(message\) or one before it was changed/,
  ],
  [
    'another hash',
    `UPDATE entries SET hash = 'x' WHERE seq = 5 AND session = 1`,
    /entry 5 \(message\) or one before it was changed/,
  ],
  [
    'an entry that is gone',
    'DELETE FROM passages WHERE entry = 5; DELETE FROM entries WHERE seq = 5 AND session = 1',
    /entry 6 follows entry 4/,
  ],
  [
    'two messages at one place',
    'UPDATE entries SET place = 3 WHERE seq = 5 AND session = 1',
    /message 3 is looked up as entry 5, but the log says 4/,
  ],
  [
    'an impossible place',
    'UPDATE entries SET place = 999 WHERE seq = 5 AND session = 1',
    /message 5 is looked up in place of message 4/,
  ],
  [
    'a rewind in place of a message',
    `UPDATE entries SET type = 'rewind', body = '{"type":"rewind","to":4}' WHERE seq = 5 AND session = 1`,
    /entry 5 \(rewind\) or one before it was changed.*entry 5 is looked up as a message, but is not one/s,
  ],
  ['another time', 'UPDATE entries SET time = -1 WHERE seq = 5 AND session = 1', /entry 5 .*changed/],
  [
    '20 MB of one letter',
    `UPDATE entries SET body = '{"type":"message","message":{"role":"user","content":"' || replace(hex(zeroblob(10000000)), '00', 'xx') || '"}}' WHERE seq = 5 AND session = 1`,
    /entry 5 .*changed/,
  ],
  ['100,000 levels', body(deep(100_000)), /entry 5 \(message m4\) is broken: .*(?:stack|levels)/i],
  [
    'revisions that are not JSON',
    `UPDATE sessions SET revisions = 'x' WHERE key = 1`,
    /not JSON/,
    /revisions are not JSON/,
  ],
  [
    'revisions that are not a list',
    `UPDATE sessions SET revisions = '{}' WHERE key = 1`,
    /not a list/,
    /revisions are not a list/,
  ],
  ['a count', 'UPDATE sessions SET messages = 99 WHERE key = 1', /the list says messages 99, but the log says 12/],
];

describe.each(DAMAGES.map(([name, ...rest]) => ({ name, rest })))('$name', ({ rest: [sql, problem, told] }) => {
  test('is named by verify, which continues, and does not affect the other session', async () => {
    const { store, path } = await newStore();
    const [hurt, sound] = await two(store);
    const db = new DatabaseSync(path);
    db.exec('PRAGMA foreign_keys = OFF');
    db.exec(sql);
    db.close();
    const { problems, entries } = await verifySession(store, hurt);
    expect(problems.join('\n')).toMatch(problem);
    expect(problems.length).toBeLessThanOrEqual(6);
    if (!/revisions/.test(sql)) expect(entries).toBe(14);
    expect(await store.list()).toHaveLength(2);
    expect((await verifySession(store, sound)).problems).toEqual([]);
    if (!told || /revisions/.test(sql)) return;
    for (const reading of [store.message(hurt, 'm4'), store.history(hurt), store.read(hurt)])
      await expect(reading).rejects.toMatchObject({ code: 'BAD_STORE', details: { session: hurt, seq: 5 } });
    await expect(store.message(hurt, 'm4')).rejects.toThrow(told);
    await expect(store.message(hurt, 'm4')).rejects.toThrow(/sessions verify hurt.*import an export/);
    expect((await store.message(hurt, 'm3'))?.message.content).toBe('words of message 3');
    expect((await store.search('words message', { limit: 50 })).length).toBeGreaterThan(10);
  });
});

test('an entry on a damaged page is named, and the rest is read', async () => {
  const { store, path } = await newStore();
  for (const id of ['hurt', 'sound']) {
    await store.create({ id });
    for (let n = 0; n < 12; n++) await store.append(id, [said(`${id} ${n} ${'word '.repeat(4_000)}`)], n);
  }
  await store.close();
  const bytes = readFileSync(path);
  // Long texts fill pages of their own, of which each names the next: the first of entry 6 leads nowhere.
  const page = 4_096;
  const at = bytes.indexOf('hurt 5 ');
  const chain = Math.ceil(at / page) * page - 4;
  bytes.writeUInt32BE(0x7fffffff, chain);
  writeFileSync(path, bytes);
  const again = await sqlite(path);
  const { problems, entries } = await verifySession(again, 'hurt');
  expect(problems.join('\n')).toMatch(/^entry 6 is broken: .*malformed/m);
  expect({ entries, count: problems.length }).toEqual({ entries: 12, count: 1 });
  expect((await verifySession(again, 'sound')).problems).toEqual([]);
  await again.close();
});

test('a store without a table throws BAD_STATE', async () => {
  const { store, path } = await newStore();
  const [hurt] = await two(store);
  const db = new DatabaseSync(path);
  db.exec('DROP TABLE passages');
  db.close();
  await expect(verifySession(store, hurt)).rejects.toMatchObject({ code: 'BAD_STATE' });
});

test('three broken entries are each named, and the entries between them are read', async () => {
  const { store, path } = await newStore();
  const [hurt] = await two(store);
  const db = new DatabaseSync(path);
  db.exec(`${body('x', 1)}; ${body('{"type":"message"}', 7)}; ${body('[', 14)}`);
  db.close();
  const { problems, entries, messages } = await verifySession(store, hurt);
  expect({ entries, messages }).toEqual({ entries: 14, messages: 12 });
  expect(problems).toEqual([
    expect.stringMatching(/^entry 1 \(message m0\) is broken: /),
    expect.stringMatching(/^entry 7 \(message m6\) is broken: /),
    expect.stringMatching(/^entry 14 \(title\) is broken: /),
  ]);
});

/** Verifies again and again while other processes write, one after the other, until it has met enough of their writes. */
async function verifiedWhileWritten(store: SessionStore, where: string, folder: string): Promise<number> {
  const { id } = await store.create();
  let rounds = 0;
  let grew = 0;
  for (let writers = 0; grew <= 3; writers++) {
    const writer = startWriter(where, id, `w${writers}`, SOAK ? 2_000 : 150, join(folder, `acks${writers}`));
    let isOver = false;
    const end = ended(writer).finally(() => {
      isOver = true;
    });
    for (let before = -1; !isOver; rounds++) {
      const { problems, entries } = await verifySession(store, id);
      expect(problems).toEqual([]);
      if (entries > before && before > 0) grew++;
      before = entries;
      // SQLite answers at once: without it nobody would hear that the process has ended.
      await new Promise((resume) => setImmediate(resume));
    }
    expect(await end).toBe(0);
  }
  expect((await verifySession(store, id)).problems).toEqual([]);
  return rounds;
}

test('a SQLite session that another process is writing is never reported as damaged', async () => {
  const { store, path } = await newStore();
  const reader = await sqlite(path);
  console.log(`SQLite: ${await verifiedWhileWritten(reader, path, dirname(path))} rounds`);
  await reader.close();
  await store.close();
});

describe.skipIf(!server)('on Postgres', () => {
  test('a session that another process is writing is never reported as damaged', async () => {
    const { path } = await newStore();
    const store = await postgres(server?.url ?? '');
    console.log(`Postgres: ${await verifiedWhileWritten(store, server?.url ?? '', dirname(path))} rounds`);
    await store.close();
  });

  test.each([
    ['no JSON', `body = 'x'`, /entry 5 \(message m4\) is broken: .*not JSON/],
    ['a text cut off', 'body = left(body, 30)', /entry 5 \(message m4\) is broken: its text of 30 characters/],
    ['no message', `body = '{"type":"message"}'`, /entry 5 \(message m4\) is broken: it has no message/],
  ])('%s is named, and the rest is read', async (_, change, problem) => {
    const store = await postgres({ url: server?.url ?? '', schema: 'hurt' });
    for (const { id } of await store.list()) await store.delete(id);
    const [hurt, sound] = await two(store);
    const client = new pg.Client(server?.url);
    await client.connect();
    await client.query(
      `UPDATE hurt.entries SET ${change} WHERE seq = 5 AND session = (SELECT key FROM hurt.sessions WHERE id = 'hurt')`,
    );
    await client.end();
    const { problems, entries } = await verifySession(store, hurt);
    expect({ entries, problems }).toEqual({ entries: 14, problems: [expect.stringMatching(problem)] });
    expect((await verifySession(store, sound)).problems).toEqual([]);
    await expect(store.message(hurt, 'm4')).rejects.toMatchObject({ code: 'BAD_STORE', details: { seq: 5 } });
    await store.close();
  });
});
