import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InputValidator } from '../src/serve/guard/input-validator.ts';
import { ask, readEvents, type Serving, serving, TOKEN, told } from './serving.ts';

/** A model that never answers, little memory, and bodies that must come soon. */
let served: Serving;
let strict: Serving;
const crew = { entry: 'a', agents: { a: { role: 'x' } } };
const BODY_MS = 300;
beforeAll(async () => {
  [served, strict] = await Promise.all([
    serving(() => new Promise(() => {}), {
      crew,
      resumeMs: 50,
      maxConcurrent: 0,
      maxMemory: 400_000,
      bodyMs: BODY_MS,
    }),
    serving(undefined, { crew, rate: 3, maxConcurrent: 1 }),
  ]);
}, 120_000);
afterAll(() => Promise.all([served.close(), strict.close()]));

const at = (path: string, id: string, method: string) =>
  ask(served.url + path, { method, headers: { 'last-event-id': id } });
const idle = ({ server }: Serving) => expect.poll(() => server.active()).toBe(0);
/** Sends the head of a request, and as much of its body. */
function sending({ url }: Serving, length: number, body: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => {});
  const head = `POST /api/crew HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${length}`;
  socket.write(`${head}\r\nconnection: close\r\n\r\n${body}`);
  return socket;
}

test('refuses expensive input cheaply', () => {
  const validator = new InputValidator();
  const refused = (body: string) => {
    try {
      return validator.validateRequest(body);
    } catch (error) {
      return (error as { body: { detail: string; errors: readonly unknown[] } }).body;
    }
  };
  const values = { detail: 'body: must have at most 100000 values in all lists and objects' };
  expect(refused(`{"input":"x","history":[${'{},'.repeat(1e6)}{}]}`)).toMatchObject(values);
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',');
  expect(refused(`{"input":"x",${keys(200_000)}}`)).toMatchObject(values);
  for (const body of [`{"input":"x",${keys(5_000)}}`, `{"input":"x","history":[${`{${keys(900)}},`.repeat(100)}{}]}`]) {
    const problem = refused(body);
    expect('errors' in problem && problem.errors.length).toBe(20);
    expect(JSON.stringify(problem).length).toBeLessThan(5_000);
  }
});

test('checks rate and capacity before it reads a body, and counts refused requests', async () => {
  const slow = sending(strict, 100, '{');
  // Its place is taken although nothing runs.
  await expect.poll(async () => (await strict.post('/api/crew', '{')).status, { interval: 300 }).toBe(503);
  expect(strict.server.active()).toBe(0);
  slow.destroy();
  await expect.poll(async () => (await strict.post('/api/crew', '{')).status, { interval: 20 }).toBe(429);
});

test('limits the memory of all requests, from their first bytes to their end', async () => {
  const body = { input: 'x', history: [{ role: 'user', content: 'x'.repeat(60_000) }] };
  const first = await served.post('/api/crew/stream', body);
  const refused = await served.post('/api/crew/stream', body);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await told(refused)).toMatchObject({ detail: expect.stringContaining('--max-memory') });
  await first.body?.cancel();
  await idle(served);
  // One that is still on its way counts, and one alone is taken whatever it holds.
  const half = sending(served, 200_000, 'x'.repeat(80_000));
  await expect
    .poll(async () => {
      const answer = await served.post('/api/crew/stream', body);
      await answer.body?.cancel();
      return answer.status;
    })
    .toBe(503);
  half.destroy();
  await idle(served);
  const large = await served.post('/api/crew/stream', { ...body, history: [...body.history, ...body.history] });
  expect(large.status).toBe(200);
  await large.body?.cancel();
  await idle(served);
});

test('sends an id first, ignores HEAD readers, and cancels running requests by any id', async () => {
  const response = await served.post('/api/crew/stream', { input: 'x' });
  const [mine, copy] = response.body?.tee() ?? [];
  const { value } = (await copy?.getReader().read()) ?? {};
  const id = /^id: ([0-9a-f-]{36}:0)\n\n/.exec(new TextDecoder().decode(value))?.[1] ?? '';
  expect(id).not.toBe('');
  const head = await at('/api/crew/stream', id, 'HEAD');
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reading = readEvents(new Response(mine));
  expect((await at('/api/crew/stream', id.replace(/0$/, '99'), 'DELETE')).status).toBe(202);
  expect((await reading).at(-1)).toMatchObject({ data: { result: { status: 'cancelled' } } });
  const over = await at('/api/crew/stream', id, 'DELETE');
  expect(over.status).toBe(410);
  const malformed = await at('/api/crew/stream', 'x', 'DELETE');
  expect([malformed.status, (await told(malformed)).detail]).toEqual([400, 'last-event-id is not the id of an event']);
  // A reader that was there for the head alone would keep this one running.
  const second = await served.post('/api/crew/stream', { input: 'x' });
  const events = second.body?.getReader();
  const first = new TextDecoder().decode((await events?.read())?.value);
  await at('/api/crew/stream', /^id: (\S+)/.exec(first)?.[1] ?? '', 'HEAD');
  await events?.cancel();
  await idle(served);
});

test('refuses a trickling body, but gives a steady one more time', async () => {
  const slow = sending(served, 100, '{');
  const [answer] = await once(slow, 'data');
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  slow.destroy();
  const parts = 20;
  const steady = sending(served, parts * 20_000 + 1, '');
  for (let i = 0; i < parts; i++) {
    steady.write(' '.repeat(20_000));
    // As a connection of about 500 kB a second would.
    await new Promise((resolve) => setTimeout(resolve, (2 * BODY_MS) / parts));
  }
  steady.write('{');
  const [refused] = await once(steady, 'data');
  expect(refused).toMatch(/^HTTP\/1\.1 400 /);
  steady.destroy();
});

test('refuses titles of several lines and encoded bodies', async () => {
  for (const title of ['"a\\nb"', '"\\ud800"', '"a\\u2028b"'])
    expect((await served.post('/api/sessions', `{"title":${title}}`)).status).toBe(400);
  expect((await served.post('/api/sessions', '{}', { 'content-encoding': 'gzip' })).status).toBe(415);
  expect((await served.post('/api/sessions', '{}', { 'content-encoding': 'identity' })).status).toBe(201);
  expect((await served.post('/api/sessions', `{"title":"${'x'.repeat(16_000)}"}`)).status).toBe(413);
});
