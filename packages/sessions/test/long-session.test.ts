import { execFile } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { anthropic, ConversationWindow } from 'holdfast';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { sessionArchive, sessionWriter, type WireMessage } from '../src/index.ts';
import { newStore, said } from './new-store.ts';

/** 4 kB each. */
const MESSAGES = SOAK ? 50_000 : 3_000;
const TIMED = SOAK ? 1_000 : 150;

const text = (i: number) =>
  Array.from(
    { length: 60 },
    (_, line) => `${i}.${line}: function part${(i * 31 + line) % 997}() { return "value ${line}"; }`,
  ).join('\n');

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

test(`after ${MESSAGES} messages, appends and resuming are as fast as at the start`, async () => {
  const { store, path } = await newStore();
  const { store: other, path: otherPath } = await newStore();
  const { id } = await store.create();
  const { id: young } = await other.create();
  const long = MESSAGES - TIMED;
  const writer = await sessionWriter(store, id);
  const window = new ConversationWindow<WireMessage>(
    { max_messages: 0, max_tokens: 40_000 },
    { dialect: 'anthropic', archive: sessionArchive(store, writer, anthropic()) },
  );
  const seen = async (entries: readonly ReturnType<typeof said>[], offset: number) => {
    const messages = entries.map(({ message }) => message);
    const { receipt } = await window.fit(messages, { offset });
    const { log, calibration } = window.state();
    const [fold] = log.slice(-1);
    if (receipt && fold) await writer.append([{ type: 'fold', fold, receipt }]);
    const place = { seen: offset + entries.length, sent: 10, calibration, historyTokens: 0 };
    await writer.append([{ type: 'usage', tokens: { input: 1, output: 1 }, window: place }]);
  };
  const message = (i: number) => said(text(i), i % 2 === 0 ? 'user' : 'assistant');
  for (let i = 0; i < long; i += 50) {
    const entries = Array.from({ length: 50 }, (_, n) => message(i + n));
    await writer.append(entries);
    await seen(entries, i);
  }
  let { last } = writer;
  const times: { first: number[]; last: number[] } = { first: [], last: [] };
  // By turns, so that both have the same share of whatever else the machine does.
  for (let i = 0; i < TIMED; i++) {
    const start = performance.now();
    await other.append(young, [said(text(i))], i);
    const between = performance.now();
    last = await store.append(id, [message(long + i)], last);
    times.first.push(between - start);
    times.last.push(performance.now() - between);
  }
  writer.seen(last);
  await seen(
    Array.from({ length: TIMED }, (_, i) => message(long + i)),
    long,
  );
  const [first, final] = [median(times.first), median(times.last)];
  expect(final).toBeLessThan(3 * first);
  expect((await store.info(id))?.messages).toBe(MESSAGES);
  await store.close();
  const child = fileURLToPath(new URL('../../agent/test/chat/resume-child.ts', import.meta.url));
  const resumed = async (file: string, session: string) => {
    const args = ['--conditions=@holdfast/source', child, file, session];
    return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
  };
  const { ms: youngMs } = await resumed(otherPath, young);
  const { ms, rss, restored, folds } = await resumed(path, id);
  console.log(
    `append: median ${first.toFixed(2)} ms of the first, ${final.toFixed(2)} ms of the last; resume after ${folds} folds ${ms.toFixed(0)} ms (of ${TIMED} messages: ${youngMs.toFixed(0)} ms), ${(rss / 1e6).toFixed(0)} MB`,
  );
  expect(restored.messages).toBe(MESSAGES);
  expect(folds).toBeGreaterThan(MESSAGES / 100);
  // Were all messages read, it would grow as they do.
  expect(ms / youngMs).toBeLessThan(MESSAGES / TIMED / 2);
  expect(rss).toBeLessThan(300e6);
});

/** A store with so many sessions. */
async function storeWith(sessions: number) {
  const { store, path } = await newStore();
  await store.create({ id: 'model-of-all', created: 1 });
  const db = new DatabaseSync(path);
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${sessions})
    INSERT INTO sessions SELECT NULL, 'session' || i, 'Title ' || i, created, i, last, hash, messages, folds, bytes, tokens, cost,
      provider, model, dialect, kind, revisions FROM sessions, n WHERE id = 'model-of-all'`);
  db.close();
  return store;
}

test('sessions are listed, newest first, in time proportional to their number', async () => {
  const [many, few] = [await storeWith(5_000), await storeWith(500)];
  const list = await many.list();
  expect(list).toHaveLength(5_000);
  expect(list[0]?.id).toBe('session5000');
  const ratio = await timeRatio(
    () => many.list(),
    () => few.list(),
    { enough: 30 },
  );
  expect(ratio).toBeLessThan(30);
});
