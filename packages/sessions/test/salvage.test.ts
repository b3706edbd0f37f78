import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { checkFile, type Salvaged, type SessionStore, salvageStore, sqlite, verifySession } from '../src/index.ts';
import { guarded } from '../src/sqlite/errors.ts';
import { createTables } from '../src/sqlite/schema.ts';
import { collect, newFolder, newStore, said } from './new-store.ts';

const IDS = ['one', 'two', 'three'];
const ENTRIES = 40;

/** A closed store with three sessions of 40 messages, some of them long. */
async function written() {
  const { store, path } = await newStore();
  for (const id of IDS) {
    await store.create({ id, title: `Title of ${id}` });
    for (let n = 0; n < ENTRIES; n++)
      await store.append(id, [said(`${id} says ${n} ${'word '.repeat(n % 10 === 0 ? 2_000 : 20)}`)], n);
  }
  await store.close();
  return path;
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.enableDefensive?.(false);
  db.exec(sql);
  db.close();
}

/** What can be salvaged of a store; every session of the new one is sound. */
async function salvaged(path: string) {
  const store = await sqlite(':memory:');
  const found: Salvaged[] = await collect(salvageStore(path, store));
  for (const { id } of await store.list()) expect((await verifySession(store, id)).problems).toEqual([]);
  return { store, found };
}

async function opens(path: string, work: (store: SessionStore) => Promise<unknown> = async () => {}) {
  const store = await sqlite(path);
  await work(store).finally(() => store.close());
}

test.each([
  ['a missing table of words', 'DROP TABLE words'],
  ['a missing table of passages', 'DROP TABLE passages'],
  ['a renamed column', 'ALTER TABLE passages RENAME COLUMN start TO begin'],
  ['changed contents', `UPDATE words_data SET block = x'ffffffff' WHERE id > 10`],
  ['a missing index', 'DROP INDEX entries_type'],
])('a search index with %s is built again', async (_, sql) => {
  const path = await written();
  change(path, sql);
  await opens(path, async (store) => {
    expect(await store.search('"says 7"', { limit: 50 })).not.toEqual([]);
    expect((await store.search('two says 7', { session: 'two', limit: 1 }))[0]).toMatchObject({ session: 'two' });
    expect((await store.read('one', { types: ['message'] })).items).toHaveLength(ENTRIES);
    await store.append('one', [said('more')], ENTRIES);
    await store.delete('three');
  });
  expect(await checkFile(path)).toMatchObject({ damage: [], isDerived: true });
});

test('who only reads is told that the search index is damaged, and which', async () => {
  const path = await written();
  change(path, `UPDATE words_data SET block = x'ffffffff' WHERE id > 10`);
  const store = await sqlite(path, { read_only: true });
  await expect(store.search('says')).rejects.toThrow(
    `the search index of ${path} is damaged: \`holdfast sessions verify\``,
  );
  await store.close();
});

test.each([
  ['ALTER TABLE entries RENAME COLUMN body TO content', /no such column: (?:e\.)?body/],
  ['ALTER TABLE sessions RENAME COLUMN title TO name', /no column named title|no such column: title/],
  ['ALTER TABLE entries DROP COLUMN body; ALTER TABLE entries ADD COLUMN content TEXT', /no such column: (?:e\.)?body/],
  ['DROP TABLE sessions', /no such table: (?:main\.)?sessions/],
])('a store whose tables were changed is named with what is wrong and the way out: %s', async (sql, problem) => {
  const path = await written();
  change(path, `PRAGMA foreign_keys = OFF; ${sql}`);
  const before = readFileSync(path);
  const failure = await opens(path).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'BAD_STATE' });
  expect(String(failure)).toMatch(problem);
  expect(String(failure)).toContain(`the tables of ${path} are damaged`);
  expect(String(failure)).toContain(`\`holdfast sessions salvage ${path} NEW.db\``);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('renamed columns are salvaged whole', async () => {
  const path = await written();
  change(path, 'ALTER TABLE entries RENAME COLUMN body TO content; ALTER TABLE sessions RENAME COLUMN title TO name');
  const { store, found } = await salvaged(path);
  expect(found.map(({ id, entries, problem }) => ({ id, entries, problem }))).toEqual(
    IDS.map((id) => ({ id, entries: ENTRIES, problem: undefined })),
  );
  expect((await store.info('two'))?.title).toBe('Title of two');
  expect((await store.search('two says 7', { limit: 1 }))[0]?.session).toBe('two');
});

test('of a damaged session comes what is before the damage, of a missing list all entries', async () => {
  const path = await written();
  change(path, `UPDATE entries SET body = replace(body, 'says 20', 'said 20') WHERE session = 2 AND seq = 21`);
  change(
    path,
    `PRAGMA foreign_keys = OFF; DELETE FROM entries WHERE session = 3 AND seq = 1; DELETE FROM sessions WHERE id = 'one'`,
  );
  const { store, found } = await salvaged(path);
  const [one, two, three] = found;
  expect(two).toMatchObject({ id: 'two', entries: 20, problem: 'entry 21 of 40 was changed' });
  expect(three).toMatchObject({ id: 'three', info: undefined, problem: 'entry 1 of 40 cannot be read' });
  expect(one).toMatchObject({ id: undefined, entries: 40, problem: /list of sessions/ });
  expect((await store.list()).map(({ messages }) => messages).sort()).toEqual([20, 40]);
});

test('a session keeps its id, which handles contain, if its row is destroyed', async () => {
  const path = await written();
  const bytes = readFileSync(path);
  const page = Math.floor(bytes.indexOf('Title of one') / 4_096) * 4_096;
  bytes.fill(0xa5, page, page + 4_096);
  writeFileSync(path, bytes);
  const { found } = await salvaged(path);
  const kept = found.map(({ id, info, entries, problem }) => ({ id, now: info?.id, entries, problem }));
  const problem = 'its row in the list of sessions cannot be read';
  expect(kept).toEqual(IDS.map((id) => ({ id, now: id, entries: ENTRIES, problem })));
});

test('wherever pages are destroyed, sessions away from them are salvaged whole', async () => {
  const path = await written();
  const sound = readFileSync(path);
  const page = 4_096;
  const counts = { whole: 0, part: 0 };
  for (let at = page; at < sound.length; at += 7 * page) {
    const bytes = Buffer.from(sound);
    for (let n = at; n < at + page; n++) bytes[n] = (n * 2_654_435_761) >>> 24;
    const hurt = join(newFolder(), 'hurt.db');
    writeFileSync(hurt, bytes);
    const { store, found } = await salvaged(hurt);
    for (const { info, entries, problem } of found) {
      if (info && problem === undefined) expect(entries).toBe(ENTRIES);
      if (info) counts[problem === undefined ? 'whole' : 'part']++;
    }
    await store.close();
  }
  expect(counts.whole).toBeGreaterThan(3 * counts.part);
});

test('a truncated store is named, and gives what is left', async () => {
  const path = await written();
  truncateSync(path, readFileSync(path).length - 100_000);
  const failure = await opens(path, (store) => store.search('one')).catch((error: unknown) => error);
  expect(String(failure)).toContain(
    `${path} is damaged (database disk image is malformed): \`holdfast sessions salvage`,
  );
  const { found } = await salvaged(path);
  expect(found.filter(({ problem }) => problem === undefined).length).toBeGreaterThan(0);
});

test.each([
  ['text', () => Buffer.from('# Notes\n'.repeat(1_000)), /is not a session store \(file is not a database\)/],
  [
    'random bytes',
    () => Buffer.from(Array.from({ length: 9_999 }, (_, n) => (n * 40_503) & 0xff)),
    /is not a session store/,
  ],
  [
    'the database of another program',
    otherDatabase,
    /is not a session store, or its table holdfast_version is damaged/,
  ],
])('%s is not a store, and stays as it is', async (_, make, problem) => {
  const path = join(newFolder(), 'sessions.db');
  writeFileSync(path, make());
  const before = readFileSync(path);
  await expect(sqlite(path)).rejects.toMatchObject({ code: 'BAD_STATE' });
  await expect(sqlite(path)).rejects.toThrow(problem);
  await expect(sqlite(path)).rejects.toThrow(path);
  await expect(collect(salvageStore(path, await sqlite(':memory:')))).rejects.toThrow(/nothing of .* can be salvaged/);
  expect(readFileSync(path).equals(before)).toBe(true);
});

function otherDatabase(): Buffer {
  const path = join(newFolder(), 'other.db');
  change(path, 'CREATE TABLE notes (text TEXT)');
  return readFileSync(path);
}

test('a disk that is full while the store is created is named as such', () => {
  const db = new DatabaseSync(':memory:');
  db.exec('PRAGMA max_page_count = 3');
  expect(() => guarded('/home/a/sessions.db', () => createTables(db, '/home/a/sessions.db'))).toThrow(
    'the disk with /home/a/sessions.db is full: nothing was changed',
  );
  db.close();
});
