import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { sqlite } from '../src/index.ts';
import { newFolder, newStore, said } from './new-store.ts';

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('only the owner can access the files, even ones that had other permissions', async () => {
  const { store, path } = await newStore();
  const { id } = await store.create();
  await store.append(id, [said('hello')], 0);
  expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual(['600', '600', '600']);
  expect(mode(dirname(path))).toBe('700');
  chmodSync(path, 0o644);
  await (await sqlite(path)).close();
  expect(mode(path)).toBe('600');
});

test('a writer waits for others no longer than it may', { timeout: 20_000 }, async () => {
  const { store, path } = await newStore();
  const { id } = await store.create();
  const hasty = await sqlite(path, { busy_ms: 1 });
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  await expect(hasty.append(id, [said('hello')], 0)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
  other.exec('ROLLBACK');
  await hasty.append(id, [said('hello')], 0);
  other.close();
  await hasty.close();
});

test('while a writer waits for others, the process continues, and closing the store waits, too', async () => {
  const { store, path } = await newStore();
  const { id } = await store.create();
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const written = store.append(id, [said('hello')], 0);
  // Only this process can end the other transaction: a writer that blocks it would wait in vain.
  setImmediate(() => other.exec('ROLLBACK'));
  await store.close();
  expect(await written).toBe(1);
  other.close();
});

test('however many writers wait for others, trying takes them hardly more time than SQLite takes to refuse', async () => {
  const { store, path } = await newStore();
  const [other, refused] = [new DatabaseSync(path), new DatabaseSync(path)];
  other.exec('BEGIN IMMEDIATE');
  const written: Promise<unknown>[] = [];
  const repeat = (work: () => unknown) => () => {
    for (let i = 0; i < 20; i++) work();
  };
  const create = repeat(() => written.push(store.create()));
  const fail = repeat(() => expect(() => refused.exec('BEGIN IMMEDIATE')).toThrow('locked'));
  expect(await timeRatio(create, fail, { enough: 20, tries: 5 })).toBeLessThan(20);
  other.exec('ROLLBACK');
  await Promise.all(written);
  for (const db of [other, refused]) db.close();
});

test(':memory: is a new store each time, and never a file', async () => {
  const store = await sqlite(':memory:');
  const { id } = await store.create();
  await store.append(id, [said('hello')], 0);
  expect(await store.search('hello')).toHaveLength(1);
  expect(existsSync(':memory:')).toBe(false);
  const other = await sqlite(':memory:');
  expect(await other.list()).toEqual([]);
  for (const one of [store, other]) await one.close();
});

test.each([0, 2, 99])('a database of version %i is refused and left unchanged', async (version) => {
  const { store, path } = await newStore();
  await store.create({ id: 'kept' });
  await store.close();
  const db = new DatabaseSync(path);
  db.exec(`UPDATE holdfast_version SET version = ${version}`);
  db.close();
  const before = readFileSync(path);
  for (const options of [{}, { read_only: true }]) {
    const refused = expect(sqlite(path, options)).rejects;
    await refused.toMatchObject({ code: 'BAD_STATE', details: { version, known: 1 } });
    await expect(sqlite(path, options)).rejects.toThrow(
      `${path} has tables of version ${version}, and this holdfast reads version 1`,
    );
  }
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a file that is not a database and an impossible path are reported with their path', async () => {
  const path = join(newFolder(), 'sessions.db');
  writeFileSync(path, 'not a database, but longer than a header of one: '.repeat(30));
  await expect(sqlite(path)).rejects.toMatchObject({ code: 'BAD_STATE' });
  await expect(sqlite(path)).rejects.toThrow(`${path} is not a session store (file is not a database`);
  await expect(sqlite(join(path, 'inside.db'))).rejects.toMatchObject({ code: 'BAD_STATE' });
});

test('many processes open a new database concurrently', async () => {
  const path = join(newFolder(), 'sessions.db');
  const stores = await Promise.all(Array.from({ length: 8 }, () => sqlite(path)));
  for (const store of stores) await store.create();
  expect(await stores[0]?.list()).toHaveLength(8);
  for (const store of stores) await store.close();
});

test('no text is stored twice: the index is smaller than the messages', async () => {
  const { store, path } = await newStore();
  const { id } = await store.create();
  const lines = Array.from(
    { length: 4_000 },
    (_, i) => `compute(${i}, "a setting of the parser"); // see the note on it`,
  );
  await store.append(id, [said(lines.join('\n'), 'tool')], 0);
  await store.close();
  const bytes = readFileSync(path);
  const needle = Buffer.from('compute(3999, ');
  const first = bytes.indexOf(needle);
  expect(first).toBeGreaterThan(0);
  expect(bytes.indexOf(needle, first + 1)).toBe(-1);
  expect(bytes.length).toBeLessThan(2 * lines.join('\n').length);
});

test('deleting a session frees its space', async () => {
  const { store, path } = await newStore();
  const { id } = await store.create();
  await store.append(id, [said('x y z '.repeat(400_000), 'tool')], 0);
  await store.delete(id);
  await store.close();
  expect(statSync(path).size).toBeLessThan(1_000_000);
});

test('keys are masked before they go to disk, in every kind of entry', async () => {
  const { store, path } = await newStore({ mask_keys: true });
  const { id } = await store.create({ title: 'password=hunter2hunter2' });
  expect((await store.info(id))?.title).toBe('password=[masked]');
  const key = 'sk-ant-api03-1234567890abcdefghij1234567890';
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AKIAABCDEFGHIJKLMNOP' } };
  await store.append(
    id,
    [
      { type: 'title', title: `about ${key}` },
      { type: 'message', message: { role: 'user', content: [{ type: 'text', text: `use ${key} please` }, image] } },
    ],
    0,
  );
  const { items } = await store.read(id);
  expect(items[1]?.entry).toEqual({
    type: 'message',
    message: { role: 'user', content: [{ type: 'text', text: 'use [masked] please' }, image] },
  });
  expect((await store.info(id))?.title).toBe('about [masked]');
  await store.close();
  expect(readFileSync(path).includes('1234567890abcdefghij')).toBe(false);
});
