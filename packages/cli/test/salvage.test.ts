import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { project } from './project.ts';

async function stored() {
  const place = project();
  const path = join(place.home, 'sessions.db');
  const store = await sqlite(path);
  for (const id of ['talk', 'other']) {
    await store.create({ id });
    for (let n = 0; n < 30; n++)
      await store.append(
        id,
        [{ type: 'message', message: { role: 'user', content: `${id} ${n} ${'word '.repeat(400)}` } }],
        n,
      );
  }
  await store.close();
  return { place, path };
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.enableDefensive?.(false);
  db.exec(sql);
  db.close();
}

test('doctor checks the store, and salvage writes what is sound into a new one', async () => {
  const { place, path } = await stored();
  expect((await place.holdfast('doctor')).stdout).toMatch(/ok +sessions: 2 sessions in .*sessions\.db, [\d.]+ kB/);
  change(
    path,
    `UPDATE entries SET body = 'x' WHERE session = 2 AND seq = 12; ALTER TABLE entries RENAME COLUMN body TO content`,
  );
  const listed = await place.holdfast('sessions', 'list');
  expect([listed.code, listed.stdout]).toEqual([1, '']);
  expect(listed.stderr).toContain(`the tables of ${path} are damaged (no such column: e.body`);
  expect(listed.stderr).toContain(`holdfast sessions salvage ${path} NEW.db`);
  const advised = await place.holdfast('doctor');
  expect(advised.stdout).toMatch(/problem +sessions: the tables of .*sessions\.db are damaged/);
  expect(advised.code).toBe(1);
  const before = readFileSync(path);
  const salvaged = await place.holdfast('sessions', 'salvage', path, 'new.db');
  expect(salvaged.code).toBe(1);
  expect(salvaged.stdout).toMatch(/^whole +talk: 30 messages, 30 entries$/m);
  expect(salvaged.stdout).toMatch(
    /^part +other: 11 messages, 11 entries before the damage: entry 12 of 30 was changed$/m,
  );
  expect(salvaged.stdout).toMatch(/Wrote .*new\.db: 1 whole session, 1 session up to the damage/);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect((await place.holdfast('sessions', 'verify', '--store', 'new.db')).code).toBe(0);
  const again = await place.holdfast('sessions', 'salvage', path, 'new.db');
  expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/new\.db already exists: choose another name/)]);
});

test('a truncated store is a problem for doctor, and what is no store leaves no new one behind', async () => {
  const { place, path } = await stored();
  truncateSync(path, 200_000);
  expect((await place.holdfast('doctor')).stdout).toMatch(/problem +sessions: .*sessions\.db is damaged/);
  truncateSync(path, 20);
  const failed = await place.holdfast('sessions', 'salvage', path, 'new.db');
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/nothing of .*sessions\.db can be salvaged/)]);
  expect(existsSync(join(place.workspace, 'new.db'))).toBe(false);
});

test('verify builds a damaged search index again', async () => {
  const { place, path } = await stored();
  change(path, `UPDATE words_data SET block = x'ffffffff' WHERE id > 10`);
  expect((await place.holdfast('doctor')).stdout).toMatch(/warning +sessions: an index of .*sessions\.db is damaged/);
  const verified = await place.holdfast('sessions', 'verify');
  expect(verified).toMatchObject({ code: 0, stderr: expect.stringMatching(/built the search index again/) });
  expect((await place.holdfast('doctor')).stdout).toMatch(/ok +sessions: 2 sessions in/);
});
