import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionList } from '../src/api/types.ts';
import { ask, get, newInspector, refused, TOKEN } from './ask.ts';
import { newStore, writeSession } from './write-session.ts';

const page = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  new Request(`http://127.0.0.1:4143${path}`, { headers: { host: '127.0.0.1:4143', ...headers } });

test.each([
  ['another name of this machine', { host: 'evil.example:4143' }, 421],
  ['a page of another site', { origin: 'https://evil.example' }, 403],
  ['a sandboxed page', { origin: 'null' }, 403],
  ['an image of another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['another port of this machine', { origin: 'http://127.0.0.1:9999', 'sec-fetch-site': 'same-site' }, 403],
  ['no token', { authorization: '' }, 401],
  ['a wrong token', { authorization: `Bearer ${TOKEN}x` }, 401],
  ['its own page', { origin: 'http://127.0.0.1:4143', 'sec-fetch-site': 'same-origin' }, 200],
])('a request with %s', async (_, headers, status) => {
  const inspector = newInspector({ store: await newStore() });
  expect((await ask(inspector, 'sessions', { headers })).status).toBe(status);
});

test('anybody may link to the page, and the page loads nothing from elsewhere', async () => {
  const inspector = newInspector({ store: await newStore() });
  const linked = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' };
  const response = await inspector.fetch(page('/inspect/', linked));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/html');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  const etag = response.headers.get('etag') ?? '';
  expect((await inspector.fetch(page('/inspect/', { 'if-none-match': etag }))).status).toBe(304);
  const bare = await inspector.fetch(page('/inspect'));
  expect([bare.status, bare.headers.get('location')]).toEqual([308, '/inspect/']);
  for (const path of ['/inspect/../package.json', '/inspect/%2e%2e%2fpackage.json', '/inspect/nothing.js'])
    expect((await inspector.fetch(page(path))).status).toBe(404);
});

test('without a token it reads, and changes nothing', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  const owner = { isAtWork: () => true, whyNot: () => undefined, undo: async () => true, redo: async () => true };
  const { token: _, ...open } = { token: TOKEN, store, owner, host: 'ui' as const, version: '0.1.0' };
  const { createInspector } = await import('../src/index.ts');
  const inspector = createInspector(open);
  onTestFinished(() => inspector.close());
  expect((await get<SessionList>(inspector, 'sessions')).sessions).toHaveLength(1);
  expect(await refused(inspector, `sessions/${session.id}/undo`, { method: 'POST' })).toMatchObject({ status: 403 });
});

test.each([
  ['no token', ''],
  ['a wrong token', `Bearer ${TOKEN}x`],
])('whatever changes something is refused with %s', async (_, authorization) => {
  const store = await newStore();
  const { id } = await writeSession(store);
  const done: string[] = [];
  const act = (what: string) => async () => done.push(what) > 0;
  const owner = { isAtWork: () => true, whyNot: () => undefined, undo: act('undo'), redo: act('redo') };
  const inspector = newInspector({ store, owner });
  const body = JSON.stringify({ sides: [{ policy: 'fold' }, { policy: 'fold', budget: 20_000 }] });
  for (const [method, path, sent] of [
    ['POST', `sessions/${id}/undo`],
    ['POST', `sessions/${id}/redo`],
    ['POST', `sessions/${id}/compare`, { body }],
    ['DELETE', 'compare/1'],
  ] as const) {
    const { status } = await ask(inspector, path, { method, headers: { authorization }, ...sent });
    expect([path, status]).toEqual([path, 401]);
  }
  expect(done).toEqual([]);
});

test('undo and redo need the process that owns the session', async () => {
  const store = await newStore();
  const session = await writeSession(store);
  await session.say(...Array.from({ length: 24 }, () => 40));
  const path = `sessions/${session.id}`;
  const looking = newInspector({ store });
  expect(await refused(looking, `${path}/undo`, { method: 'POST' })).toMatchObject({
    status: 409,
    detail: expect.stringContaining('only reads'),
  });
  const owner = {
    isAtWork: (id: string) => id === session.id,
    whyNot: (id: string) => (id === session.id ? undefined : 'it runs elsewhere'),
    undo: () => session.travel('undo'),
    redo: () => session.travel('redo'),
  };
  const owning = newInspector({ store, owner });
  const folds = (await get<{ folds: number }>(owning, path)).folds;
  expect(await get(owning, path)).toMatchObject({ canUndo: true, canRedo: false });
  expect(await get(owning, `${path}/undo`, { method: 'POST' })).toMatchObject({
    fold: folds,
    session: { folds: folds - 1 },
  });
  expect(await get(owning, path)).toMatchObject({ canRedo: true });
  expect(await get(owning, `${path}/redo`, { method: 'POST' })).toMatchObject({ fold: folds, session: { folds } });
  expect(await refused(owning, `${path}/redo`, { method: 'POST' })).toMatchObject({ status: 409 });
  expect(await refused(owning, `${path}/undo`)).toMatchObject({ status: 405 });
});

test('says why there is nothing to see', async () => {
  const inspector = newInspector({ noStore: 'the proxy runs with --no-store' });
  expect(await get(inspector, 'info')).toMatchObject({ noStore: 'the proxy runs with --no-store', host: 'ui' });
  expect(await refused(inspector, 'sessions')).toEqual({ status: 404, detail: 'the proxy runs with --no-store' });
});

test('a broken store leads to a 500; its error message goes only to the log', async () => {
  const store = await newStore();
  const lines: string[] = [];
  const broken = {
    ...store,
    list: async () => Promise.reject(new Error('secret /path sk-ant-api03-abcdefghijklmnop')),
  };
  const inspector = newInspector({ store: broken, log: (line) => lines.push(line) });
  const { status, detail } = await refused(inspector, 'sessions');
  expect([status, detail]).toEqual([500, 'the request failed: see the output of the server']);
  expect(lines.join()).toContain('secret /path');
  expect(lines.join()).not.toContain('sk-ant-api03-abcdefghijklmnop');
});

test('serves a node:http server, a reader that leaves ends its stream', async () => {
  const inspector = newInspector({ store: await newStore() });
  const server = createServer((request, response) => void inspector.listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/inspect`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  expect((await fetch(`${url}/api/sessions`, { headers })).status).toBe(200);
  expect((await fetch(`${url}/api/sessions`, { headers, method: 'HEAD' })).status).toBe(200);
  const bad = await fetch(`${url}/api/sessions/x/compare`, { headers, method: 'POST', body: 'no' });
  expect(bad.status).toBe(400);
  const leave = new AbortController();
  const events = await fetch(`${url}/api/events`, { headers, signal: leave.signal });
  expect(events.headers.get('content-type')).toBe('text/event-stream');
  leave.abort();
  server.closeAllConnections();
});

test('a key that was masked on its way into the store never leaves it', async () => {
  const key = 'sk-ant-api03-Zq9vN3xT7mK2pL8sW4bR6yD1';
  const store = await newStore({ mask_keys: true });
  const { id } = await store.create({ title: `key ${key}` });
  await store.append(id, [{ type: 'message', message: { role: 'user', content: `use ${key} please` } }], 0);
  const inspector = newInspector({ store });
  for (const path of [
    'sessions',
    `sessions/${id}`,
    `sessions/${id}/messages`,
    `sessions/${id}/search?q=please`,
    `sessions/${id}/recall/m0`,
  ])
    expect(await (await ask(inspector, path)).text()).not.toContain(key);
});
