import { expect, test } from 'vitest';
import type { CompareJob } from '../src/api/types.ts';
import { ask, get, newInspector, refused } from './ask.ts';
import { newStore, writeSession } from './write-session.ts';

const post = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const PRICES = { input: 5, cacheRead: 0.5, cacheWrite: 6.25, output: 25 };
const models = () => ({
  window: 200_000,
  cost: (tokens: Readonly<Record<keyof typeof PRICES, number>>) =>
    (Object.keys(PRICES) as (keyof typeof PRICES)[]).reduce((sum, key) => sum + tokens[key] * PRICES[key], 0) / 1e6,
});

async function finished(inspector: Parameters<typeof get>[0], job: string): Promise<CompareJob> {
  let last: CompareJob | undefined;
  await expect
    .poll(async () => {
      last = await get<CompareJob>(inspector, `compare/${job}`);
      return last.state;
    })
    .toMatch(/done|failed/);
  return last as CompareJob;
}

test('replays two budgets in the background, with what each would have cost and missed', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  await session.say(...Array.from({ length: 40 }, (_, i) => 20 + (i % 7) * 10));
  const inspector = newInspector({ store, models });
  const path = `sessions/${session.id}/compare`;
  const sides = [
    { policy: 'fold', budget: 8_000 },
    { policy: 'sliding', budget: 20_000 },
  ];
  const started = await ask(inspector, path, post({ sides }));
  expect(started.status).toBe(202);
  const { job } = (await started.json()) as CompareJob;
  const done = await finished(inspector, job);
  expect(done).toMatchObject({ state: 'done', progress: 1, session: session.id });
  const [left, right] = done.sides ?? [];
  expect(left).toMatchObject({ policy: 'fold', budget: 8_000, calls: 40 });
  expect(right).toMatchObject({ policy: 'sliding', budget: 20_000, calls: 40 });
  expect(left?.folds).toBeGreaterThan(0);
  expect(left?.series).toHaveLength(40);
  expect(left?.series.at(-1)?.cost).toBeCloseTo(left?.cost ?? 0);
  for (const { viewTokens } of left?.series ?? []) expect(viewTokens).toBeLessThanOrEqual(8_000);
  expect(left?.peak).toBe(Math.max(...(left?.series.map(({ viewTokens }) => viewTokens) ?? [])));
  expect(done.everything?.relativeCost).toBe(1);
  expect(left?.relativeCost).toBeLessThan(1);
  const last = left?.foldings.at(-1);
  expect(last?.note).toContain('[');
  expect(last?.runs[0]?.from).toBe(0);
  for (const [at, run] of (last?.runs ?? []).entries())
    expect(run.from).toBe(at === 0 ? 0 : (last?.runs[at - 1]?.to ?? 0) + 1);
  expect(last?.runs.some(({ type }) => type === 'folded')).toBe(true);
  expect((await ask(inspector, `compare/${job}`, { method: 'DELETE' })).status).toBe(204);
  expect(await refused(inspector, `compare/${job}`)).toMatchObject({ status: 404 });
});

test('refuses what it cannot compare, and more than a few at once', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  const inspector = newInspector({ store });
  const path = `sessions/${session.id}/compare`;
  const fold = { policy: 'fold', budget: 8_000 };
  for (const sides of [[fold], [fold, { ...fold, policy: 'nonsense' }], [fold, { ...fold, budget: -1 }], 'x'])
    expect(await refused(inspector, path, post({ sides }))).toMatchObject({ status: 400 });
  expect(await refused(inspector, path, { ...post({}), body: 'x'.repeat(100_000) })).toMatchObject({ status: 413 });
  const asked = await Promise.all(
    Array.from({ length: 14 }, () => ask(inspector, path, post({ sides: [fold, fold] }))),
  );
  const statuses = asked.map(({ status }) => status);
  expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
});
