import { type SessionStore, sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import type { SessionList } from '../src/api/types.ts';
import { get, newInspector, refused } from './ask.ts';
import { newStore, writeSession } from './write-session.ts';

const HOUR = 3_600_000;

async function fill(store: SessionStore, count: number): Promise<void> {
  const now = Date.now();
  for (let i = 0; i < count; i++) {
    const { id } = await store.create({ id: `s${i}`, title: `Task ${i}`, created: now - (count - i) * HOUR });
    const time = now - (count - i) * HOUR;
    const model = {
      type: 'model',
      provider: i % 3 === 0 ? 'crew' : 'x',
      model: `model-${i % 4}`,
      dialect: 'openai-chat',
    } as const;
    const usage = { type: 'usage', tokens: { input: i, output: 1 }, cost: (i * 7) % 100 } as const;
    await store.append(id, [model, usage], 0, [time, time]);
  }
}

test('lists all sessions once, page by page, in every order', async () => {
  const store = await newStore();
  await fill(store, 130);
  const inspector = newInspector({ store });
  for (const sort of ['updated', 'created', 'cost', 'tokens', 'folds', 'messages'] as const) {
    const rows = [];
    for (let cursor = ''; ; ) {
      const page: SessionList = await get(inspector, `sessions?sort=${sort}&limit=40&cursor=${cursor}`);
      rows.push(...page.sessions);
      if (page.next === undefined) break;
      cursor = encodeURIComponent(page.next);
    }
    expect(new Set(rows.map(({ id }) => id)).size).toBe(130);
    const values = rows.map((row) => row[sort]);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
  }
});

test('filters by kind and model, and names what there is to filter by', async () => {
  const store = await newStore();
  await fill(store, 24);
  const inspector = newInspector({ store });
  const all = await get<SessionList>(inspector, 'sessions?facets=1&limit=5');
  expect(all).toMatchObject({ total: 24, models: ['model-0', 'model-1', 'model-2', 'model-3'] });
  expect([...(all.kinds ?? [])].sort()).toEqual(['chat', 'crew']);
  const crews = await get<SessionList>(inspector, 'sessions?kind=crew&facets=1');
  expect([crews.total, crews.sessions.length]).toEqual([8, 8]);
  const some = await get<SessionList>(inspector, 'sessions?kind=crew&model=model-0');
  expect(some.sessions.map(({ id }) => id).sort()).toEqual(['s0', 's12']);
  for (const wrong of ['sort=nonsense', 'cost=nonsense', 'cost=-1', 'folds=1.5', 'days=x'])
    expect(await refused(inspector, `sessions?${wrong}`), wrong).toMatchObject({ status: 400 });
  expect(await refused(inspector, 'sessions?kind=nonsense')).toMatchObject({ status: 400 });
});

test('filters by cost, folds and age, also what was found by words', async () => {
  const store = await newStore();
  await fill(store, 30);
  const folded = await writeSession(store, { id: 'folded' });
  await folded.say(...Array.from({ length: 24 }, () => 40));
  const inspector = newInspector({ store });
  const ids = async (query: string) =>
    (await get<SessionList>(inspector, `sessions?limit=200&${query}`)).sessions.map(({ id }) => id);
  const { sessions } = await get<SessionList>(inspector, 'sessions?limit=200');
  const dear = sessions.filter(({ cost }) => cost >= 50.5).map(({ id }) => id);
  expect(dear.length).toBeGreaterThan(3);
  expect((await ids('cost=50.5')).sort()).toEqual(dear.sort());
  expect(await ids('folds=1')).toEqual(['folded']);
  expect(await ids('folds=99')).toEqual([]);
  // One session for each hour: the newest is an hour old.
  expect(await ids('days=1&kind=crew')).toHaveLength(7);
  expect(await ids('days=1')).toHaveLength(24);
  expect((await ids('query=task&days=1&cost=50.5')).every((id) => dear.includes(id))).toBe(true);
  expect(await ids('query=login&folds=1')).toEqual(['folded']);
});

test('finds sessions by words of messages, titles and ids', async () => {
  const store = await newStore();
  await fill(store, 10);
  const { last } = (await store.info('s3')) ?? { last: 0 };
  await store.append('s3', [{ type: 'message', message: { role: 'user', content: 'the flux capacitor hums' } }], last);
  const inspector = newInspector({ store });
  const [found, ...more] = (await get<SessionList>(inspector, 'sessions?query=capacitor')).sessions;
  expect(found).toMatchObject({ id: 's3', live: true, hits: [{ snippet: 'the flux capacitor hums', handle: 'm0' }] });
  expect(more).toEqual([]);
  expect((await get<SessionList>(inspector, 'sessions?query=task%207')).sessions.map(({ id }) => id)).toEqual(['s7']);
  expect((await get<SessionList>(inspector, 'sessions?query=s5')).sessions.map(({ id }) => id)).toEqual(['s5']);
});

test('live sessions come first, new and deleted ones are noticed', async () => {
  const store = await newStore();
  await fill(store, 10);
  const inspector = newInspector({ store });
  await get<SessionList>(inspector, 'sessions?sort=cost');
  await store.append('s1', [{ type: 'title', title: 'at work' }], 2);
  await expect
    .poll(async () => (await get<SessionList>(inspector, 'sessions?sort=cost')).sessions[0])
    .toMatchObject({ id: 's1', live: true, title: 'at work' });
  expect((await get<SessionList>(inspector, 'sessions')).sessions[0]?.id).toBe('s1');
});

test('a list says how a run ended; then it is not live, however new', async () => {
  const store = await newStore();
  const inspector = newInspector({ store });
  const { id } = await store.create({ id: 'r' });
  const save = async (change: Readonly<Record<string, unknown>>) =>
    store.append(id, [{ type: 'run', change }], (await store.info(id))?.last ?? 0);
  const lists = ['sessions', 'sessions?kind=run', 'sessions?query=r'];
  const live = () =>
    Promise.all(
      lists.map(async (list) => {
        const { sessions } = await get<SessionList>(inspector, list);
        return [sessions[0]?.live, sessions[0]?.status];
      }),
    );
  for (const [change, status] of [
    [{ status: 'running' }, 'running'],
    [{ iteration: 2 }, 'running'],
    [{ status: 'failed' }, 'failed'],
    [{ note: '' }, 'failed'],
    [{ status: 'running' }, 'running'],
  ] as const) {
    await save(change);
    await expect.poll(live).toEqual(lists.map(() => [status === 'running', status]));
  }
});

test('10,000 sessions list as fast as 100', async () => {
  const [few, many] = [await sqlite(':memory:'), await sqlite(':memory:')];
  await fill(few, 100);
  await fill(many, 10_000);
  const [small, large] = [newInspector({ store: few }), newInspector({ store: many })];
  const list = async (inspector: typeof small) => {
    for (let i = 0; i < 20; i++) await get<SessionList>(inspector, `sessions${i % 2 === 0 ? '' : '?facets=1'}`);
  };
  const ratio = await timeRatio(
    () => list(large),
    () => list(small),
    { enough: 2 },
  );
  expect(ratio).toBeLessThan(2);
});
