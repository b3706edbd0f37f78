import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newStore, said } from './place.ts';

const SOAK = process.env.HOLDFAST_SOAK === '1';
/** 4 kB each. */
const MESSAGES = SOAK ? 50_000 : 5_000;
const TIMED = SOAK ? 1_000 : 300;

const text = (i: number) =>
  Array.from(
    { length: 60 },
    (_, line) => `${i}.${line}: function part${(i * 31 + line) % 997}() { return "value ${line}"; }`,
  ).join('\n');

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

test(`an append to a session of ${MESSAGES} messages costs what it cost at first, and it opens at once`, {
  timeout: 900_000,
}, async () => {
  const { store, path } = await newStore();
  const { store: other } = await newStore();
  const { id } = await store.create();
  const { id: young } = await other.create();
  const long = MESSAGES - TIMED;
  let last = 0;
  for (let i = 0; i < long; i += 50)
    last = await store.append(
      id,
      Array.from({ length: 50 }, (_, n) => said(text(i + n))),
      last,
    );
  const times: { first: number[]; last: number[] } = { first: [], last: [] };
  // By turns, so that both have the same share of whatever else the machine does.
  for (let i = 0; i < TIMED; i++) {
    const start = performance.now();
    await other.append(young, [said(text(i))], i);
    const between = performance.now();
    last = await store.append(id, [said(text(long + i))], last);
    times.first.push(between - start);
    times.last.push(performance.now() - between);
  }
  const [first, final] = [median(times.first), median(times.last)];
  expect(final).toBeLessThan(2 * first);
  expect((await store.info(id))?.messages).toBe(last);
  await store.close();
  const child = fileURLToPath(new URL('resume-child.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@holdfast/source', child, path, id]);
  const { ms, rss, items } = JSON.parse(stdout);
  console.log(
    `append: median ${first.toFixed(2)} ms of the first, ${final.toFixed(2)} ms of the last; resume ${ms.toFixed(0)} ms, ${(rss / 1e6).toFixed(0)} MB`,
  );
  expect(items).toBe(100);
  expect(ms).toBeLessThan(1_000);
  expect(rss).toBeLessThan(300e6);
});

test('5,000 sessions are listed in less than 200 ms', async () => {
  const { store, path } = await newStore();
  await store.create({ id: 'model-of-all', created: 1 });
  const db = new DatabaseSync(path);
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO sessions SELECT NULL, 'session' || i, 'Title ' || i, created, i, last, hash, messages, folds, bytes, tokens, cost,
      provider, model, dialect, eras FROM sessions, n WHERE id = 'model-of-all'`);
  db.close();
  const times: number[] = [];
  let list = await store.list();
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    list = await store.list();
    times.push(performance.now() - start);
  }
  const ms = median(times);
  console.log(`list of ${list.length} sessions: ${ms.toFixed(0)} ms`);
  expect(list).toHaveLength(5_000);
  expect(list[0]?.id).toBe('session5000');
  expect(ms).toBeLessThan(200);
});
