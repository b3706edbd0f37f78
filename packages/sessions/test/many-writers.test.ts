import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { postgres, type SessionStore, sqlite, verifySession } from '../src/index.ts';
import { newStore } from './new-store.ts';
import { startPostgres } from './postgres-server.ts';
import { acknowledged, dice, ended, startWriter, until, written } from './writers.ts';

const EACH = SOAK ? 250 : 12;
const KILLS = SOAK ? 300 : 8;
const STOPS = SOAK ? 200 : 6;

const server = await startPostgres();
afterAll(() => server?.stop());

/** Eight processes write: all is there, once, and each writer's in its order. */
async function eight(store: SessionStore, where: string, folder: string): Promise<void> {
  const { id } = await store.create();
  const acks = Array.from({ length: 8 }, (_, n) => join(folder, `acks-${n}`));
  const codes = await Promise.all(acks.map((file, n) => ended(startWriter(where, id, `w${n}`, EACH, file))));
  expect(codes).toEqual(acks.map(() => 0));
  const names = await written(store, id);
  expect(names).toHaveLength(8 * EACH);
  for (const [n, file] of acks.entries()) {
    const own = Array.from({ length: EACH }, (_, i) => `w${n}:${i}`);
    expect(acknowledged(file)).toEqual(own);
    expect(names.filter((name) => name.startsWith(`w${n}:`))).toEqual(own);
  }
  expect((await verifySession(store, id)).problems).toEqual([]);
}

test('8 processes append to one SQLite session: nothing is lost or duplicated', async () => {
  const { store, path } = await newStore();
  await eight(store, path, dirname(path));
});

test.skipIf(!server)('8 processes append to one Postgres session: nothing is lost or duplicated', async () => {
  const { path } = await newStore();
  const store = await postgres(server?.url ?? '');
  await eight(store, server?.url ?? '', dirname(path));
  await store.close();
});

test.skipIf(!server)('a server restart during appends loses and duplicates nothing', async () => {
  const store = await postgres({ url: server?.url ?? '', schema: 'restarted' });
  const { id } = await store.create();
  let last = 0;
  const told: string[] = [];
  let restarting: Promise<void> | undefined;
  for (let i = 0; i < 120; i++) {
    if (i === 20) restarting = server?.order('restart');
    last = await store.append(id, [{ type: 'message', message: { role: 'user', content: `n:${i} of many` } }], last);
    told.push(`n:${i}`);
  }
  await restarting;
  expect(await written(store, id)).toEqual(told);
  await server?.order('restart');
  expect((await verifySession(store, id)).problems).toEqual([]);
  await store.close();
});

test(`everything acknowledged survives kill -9, ${KILLS} times`, { timeout: 900_000 }, async () => {
  const { store, path } = await newStore();
  const { id } = await store.create();
  const roll = dice(11);
  const acks = join(dirname(path), 'acks');
  const names = new Set<string>();
  for (let kill = 0; kill < KILLS; kill++) {
    const before = sizeOf(acks);
    const child = startWriter(path, id, `k${kill}`, 100_000, acks);
    const gone = ended(child);
    await until(() => sizeOf(acks) > before);
    await new Promise((resolve) => setTimeout(resolve, roll(60)));
    child.kill('SIGKILL');
    expect(await gone).toMatch(/^SIGKILL/);
    for (const name of await written(store, id, names.size)) names.add(name);
    expect(acknowledged(acks).filter((name) => !names.has(name))).toEqual([]);
  }
  expect((await verifySession(store, id)).problems).toEqual([]);
  // No more than one append of each that was killed may be there without an answer.
  expect(await written(store, id)).toEqual([...names]);
  expect(names.size - acknowledged(acks).length).toBeLessThanOrEqual(KILLS);
});

/** Bytes of a file that may not be there yet. */
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const isStopped = (pid: number) => / T /.test(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\)/, ''));

test.skipIf(process.platform !== 'linux')(
  `a copy of the files at any of ${STOPS} moments opens and has everything acknowledged`,
  { timeout: 900_000 },
  async () => {
    const { store, path } = await newStore();
    const { id } = await store.create();
    const roll = dice(23);
    const acks = join(dirname(path), 'acks');
    const child = startWriter(path, id, 's', 1_000_000, acks);
    const gone = ended(child);
    await until(() => sizeOf(acks) > 0);
    for (let stop = 0; stop < STOPS; stop++) {
      await new Promise((resolve) => setTimeout(resolve, roll(30)));
      child.kill('SIGSTOP');
      await until(() => isStopped(child.pid ?? 0));
      const known = acknowledged(acks);
      const folder = join(dirname(path), `copy-${stop}`);
      mkdirSync(folder);
      const copy = join(folder, 'sessions.db');
      copyFileSync(path, copy);
      if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
      const opened = await sqlite(copy);
      const names = await written(opened, id);
      expect(names.slice(0, known.length)).toEqual(known);
      expect(names.length - known.length).toBeLessThanOrEqual(1);
      expect((await verifySession(opened, id)).problems).toEqual([]);
      await opened.close();
      rmSync(folder, { recursive: true });
      child.kill('SIGCONT');
    }
    child.kill('SIGKILL');
    await gone;
  },
);
