import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Provider } from '@holdfast/agent';
import { CrewExecutor } from '@holdfast/crew';
import { HoldfastError } from 'holdfast';
import { afterAll, describe, expect, test } from 'vitest';
import { ask, PAIR, readEvents, type Serving, serving, TOKEN, told } from './serving.ts';

const open: Serving[] = [];
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
});
const started = async (...args: Parameters<typeof serving>) => {
  const one = await serving(...args);
  open.push(one);
  return one;
};
const shared = started();

describe('refuses invalid requests before they reach a model, and names the field', () => {
  const message = (more: object) => ({ role: 'user', content: 'x', ...more });
  test.each([
    [{}, 'input', 'is required'],
    [{ input: '' }, 'input', 'must not be blank'],
    [{ input: ' \n' }, 'input', 'must not be blank'],
    [{ input: 7 }, 'input', 'must be a string'],
    [{ input: 'a'.repeat(32_001) }, 'input', 'must have at most 32000 characters'],
    [{ input: 'a\u0000b' }, 'input', 'must not contain control characters'],
    ['{"input":"\\ud800"}', 'input', 'must be well-formed Unicode'],
    [{ input: 'x', more: 1 }, 'more', 'is not a known field'],
    [{ input: 'x', history: 'y' }, 'history', 'must be a list'],
    [{ input: 'x', history: Array(1_001).fill(message({})) }, 'history', 'must have at most 1000 messages'],
    [
      { input: 'x', history: [message({}), message({ role: 'boss' })] },
      'history[1].role',
      'must be user, assistant, system or tool',
    ],
    [{ input: 'x', history: [message({ content: [{ type: 'text' }] })] }, 'history[0].content', 'must be a string'],
    [
      { input: 'x', history: [message({ name: 'a b' })] },
      'history[0].name',
      'must be at most 64 letters, digits, - and _',
    ],
    [{ input: 'x', history: [message({ tool_calls: [] })] }, 'history[0].tool_calls', 'is not a known field'],
    [{ input: 'x', history: [{ role: 'tool', content: 'x' }] }, 'history[0].tool_call_id', 'must be a string'],
    [{ input: 'x', session: '../etc' }, 'session', 'must be at most 100 letters, digits, ., _ and -'],
    [{ input: 'x', session: '..' }, 'session', 'must be at most 100 letters, digits, ., _ and -'],
    [{ input: 'x', session: '.' }, 'session', 'must be at most 100 letters, digits, ., _ and -'],
    [{ input: 'x', session: 'a', history: [] }, 'history', 'a session has its own history: send only one of the two'],
    ['{"input":', 'body', 'must be JSON'],
    ['[]', 'body', 'must be an object'],
    [`{"input":${'['.repeat(200)}${']'.repeat(200)}}`, 'body', 'must not be nested more than 20 levels deep'],
  ])('%.60j', async (body, field, detail) => {
    const { post, standIn } = await shared;
    for (const path of ['/api/crew', '/api/crew/stream']) {
      const response = await post(path, body);
      expect(response.status).toBe(400);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      const problem = await told(response);
      expect(problem).toMatchObject({ title: 'Bad Request', status: 400, errors: [{ field, detail }] });
    }
    expect(standIn.requests).toEqual([]);
  });

  test('a body that is too long, of another type, or missing', async () => {
    const { post, url, standIn } = await shared;
    expect((await post('/api/crew', '{"input":"x"}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await ask(`${url}/api/crew`, { method: 'POST' })).status).toBe(415);
    expect(standIn.requests).toEqual([]);
  });
});

/** Resolves once the server has closed the next connection to it. */
function disconnectedBy(url: string): Promise<void> {
  const port = Number(new URL(url).port);
  return new Promise((resolve) => {
    const onSocket = (message: unknown) => {
      const { socket } = message as { readonly socket: Socket };
      if (socket.localPort !== port) return;
      unsubscribe('net.server.socket', onSocket);
      socket.once('close', () => resolve());
    };
    subscribe('net.server.socket', onSocket);
  });
}

// They mostly wait, and each has its own server.
describe.concurrent('clients that read nothing', () => {
  // Longer than a busy machine keeps the server from reading what has arrived: that, too, looks like an idle client.
  const writeMs = 2_500;

  test('disconnects a client that reads nothing', async () => {
    const provider = (): Provider => ({
      name: 'long',
      async execute(_, { onEvent } = {}) {
        for (let i = 0; i < 30; i++) onEvent?.({ type: 'call-start', id: `${i}`, name: 'x', input: 'x'.repeat(1e6) });
        return { success: true, output: 'ok', filesChanged: [], iterationComplete: true };
      },
    });
    const executor = new CrewExecutor({ entry: 'a', agents: { a: { role: 'x' } } }, { provider });
    const { post, url } = await started(undefined, { executor, writeMs, heartbeatMs: 5 });
    const disconnected = disconnectedBy(url);
    const response = await post('/api/crew/stream', { input: 'go' });
    await disconnected;
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test.each(['/api/crew', '/api/crew/stream'])('%s: disconnects a client that does not read the end', async (path) => {
    const provider = (): Provider => ({
      name: 'short',
      execute: () => Promise.resolve({ success: true, output: 'ok', filesChanged: [], iterationComplete: true }),
    });
    const executor = new CrewExecutor({ entry: 'a', agents: { a: { role: 'x' } } }, { provider });
    const { url } = await started(undefined, { executor, writeMs });
    // Only the result, which has the history, is longer than the system holds for a reader.
    const content = 'x'.repeat(200_000);
    const history = Array.from({ length: 40 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content }));
    const body = JSON.stringify({ input: 'go', history });
    const disconnected = disconnectedBy(url);
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    await disconnected;
    let length = 0;
    socket.on('data', (part) => {
      length += part.length;
    });
    socket.resume();
    await closed;
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(40 * content.length);
  });
});

describe('requests', () => {
  test('lets a slow but steady reader get everything, however long it takes', async () => {
    const provider = (): Provider => ({
      name: 'short',
      execute: () => Promise.resolve({ success: true, output: 'ok', filesChanged: [], iterationComplete: true }),
    });
    const executor = new CrewExecutor({ entry: 'a', agents: { a: { role: 'x' } } }, { provider });
    const writeMs = 1_500;
    const { url } = await started(undefined, { executor, writeMs });
    const content = 'x'.repeat(200_000);
    const history = Array.from({ length: 48 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content }));
    const body = JSON.stringify({ input: 'go', history });
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    socket.write(
      `POST /api/crew HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
    let length = 0;
    for await (const part of socket) {
      length += part.length;
      // 64 kB at a time: ten megabytes take more than twice as long as a reader may read nothing.
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(length).toBeGreaterThan(48 * content.length);
  });

  test('returns the bounded history to a client that keeps it', async () => {
    const { post } = await shared;
    const first = await told(post('/api/crew', { input: 'my disk' }));
    expect(first).toMatchObject({ status: 'complete', output: 'I have seen it: my disk', agent: 'clerk' });
    const second = await told(post('/api/crew', { input: 'and now?', history: first.history }));
    expect(second.history).toHaveLength(2 * first.history.length);
    const long = Array.from({ length: 999 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i}` }));
    const third = await told(post('/api/crew', { input: 'much', history: long }));
    expect(third).toMatchObject({ status: 'complete' });
    expect(third.history.length).toBeLessThanOrEqual(50);
    expect(third.pruned).toBeGreaterThan(900);
  });

  test("keeps to the crew's message limit and its own limit of a history", async () => {
    const crew = { ...PAIR, max_messages_per_request: 6 };
    const { post, url } = await started(undefined, { crew, validator: { maxHistory: 12 } });
    expect(await told(ask(`${url}/api/crew`))).toMatchObject({ max_messages_per_request: 6 });
    const long = Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i}` }));
    const { history } = await told(post('/api/crew', { input: 'go', history: long }));
    expect(history.length).toBeLessThanOrEqual(6);
    expect((await post('/api/crew', { input: 'go', history: [...long, long[0]] })).status).toBe(400);
  });

  test('streams every event once, in order, with ids, and ends with the same result', async () => {
    const { post } = await shared;
    const events = await readEvents(await post('/api/crew/stream', { input: 'my disk' }));
    const [run = ''] = events[0]?.id.split(':') ?? [];
    expect(events.map(({ id }) => id)).toEqual(events.map((_, i) => `${run}:${i + 1}`));
    expect(events.at(-1)).toMatchObject({
      type: 'result',
      data: { result: { status: 'complete', output: 'I have seen it: my disk' } },
    });
    const said = events.flatMap(({ type, data }) =>
      type === 'text-delta' && data.agent === 'clerk' ? [data.text] : [],
    );
    expect(said.join('')).toBe('I look.I have seen it: my disk');
  });

  test('resumes a stream after the last event received, and cancels the request if the client stays away', async () => {
    let isFirst = true;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { post, url, server } = await started(
      async () => {
        if (isFirst) await gate;
        isFirst = false;
        return { text: 'at last' };
      },
      { crew: { entry: 'a', agents: { a: { role: 'x' } } }, resumeMs: 2_000 },
    );
    const before = await readEvents(
      await post('/api/crew/stream', { input: 'go' }),
      ({ type }) => type === 'view-ready',
    );
    open();
    const last = before.at(-1)?.id ?? '';
    const after = await readEvents(await ask(`${url}/api/crew/stream`, { headers: { 'last-event-id': last } }));
    expect(after[0]?.id).toBe(last.replace(/\d+$/, String(before.length + 1)));
    expect(after.at(-1)).toMatchObject({ type: 'result', data: { result: { output: 'at last' } } });
    const unknown = await ask(`${url}/api/crew/stream`, {
      headers: { 'last-event-id': `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}:1` },
    });
    expect(unknown.status).toBe(410);
    expect((await ask(`${url}/api/crew/stream`)).status).toBe(400);
    expect(server.active()).toBe(0);
  });

  test('cancels a request by the id of any of its events, and sends the result to its reader', async () => {
    const { post, url, server } = await started(() => new Promise(() => {}), {
      crew: { entry: 'a', agents: { a: { role: 'x' } } },
      resumeMs: 600_000,
    });
    const cancel = (id: string) =>
      ask(`${url}/api/crew/stream`, { method: 'DELETE', headers: id === '' ? {} : { 'last-event-id': id } });
    const response = await post('/api/crew/stream', { input: 'go' });
    const statuses: number[] = [];
    const events = await readEvents(response, ({ type, id }) => {
      if (type === 'view-ready') void cancel(id).then(({ status }) => statuses.push(status));
      return false;
    });
    expect(events.at(-1)).toMatchObject({ data: { result: { status: 'cancelled', history: [{ content: 'go' }] } } });
    await expect.poll(() => statuses).toEqual([202]);
    expect(server.active()).toBe(0);
    expect([(await cancel('')).status, (await cancel('x')).status]).toEqual([400, 400]);
    expect((await cancel(`${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}:1`)).status).toBe(410);
  });

  test('leaves nothing behind when a client vanishes', async () => {
    let asked = 0;
    const { post, server } = await started(
      () => {
        asked++;
        return new Promise(() => {});
      },
      { crew: { entry: 'a', agents: { a: { role: 'x' } } }, resumeMs: 20 },
    );
    for (let i = 0; i < 3; i++)
      await readEvents(await post('/api/crew/stream', { input: 'go' }), ({ type }) => type === 'view-ready');
    await expect.poll(() => server.active()).toBe(0);
    expect(asked).toBeLessThanOrEqual(3);
  });

  test('is not held up by a slow reader, which still gets all the text', async () => {
    const text = Array.from({ length: 10_000 }, (_, i) => `${i}`).join(' ');
    const { post, server } = await started(() => ({ text }), { crew: { entry: 'a', agents: { a: { role: 'x' } } } });
    const response = await post('/api/crew/stream', { input: 'go' });
    // Nothing is read until all of it was said.
    await expect.poll(() => server.active()).toBe(0);
    const events = await readEvents(response);
    const said = events.flatMap(({ type, data }) => (type === 'text-delta' ? [data.text] : [])).join('');
    expect(said === text).toBe(true);
    expect(events.at(-1)?.type).toBe('result');
  });

  test('cancels a request of /api/crew as soon as its client vanishes', async () => {
    const { post, url, server } = await started(() => new Promise(() => {}), { resumeMs: 600_000 });
    const gone = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const asking = ask(`${url}/api/crew`, { method: 'POST', headers, body: '{"input":"x"}', signal: gone.signal });
    await expect.poll(() => server.active()).toBe(1);
    gone.abort();
    await expect(asking).rejects.toThrow();
    await expect.poll(() => server.active()).toBe(0);
    expect((await post('/api/sessions', {})).status).toBe(201);
  });

  test('keeps a silent stream alive with heartbeats', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { post } = await started(() => gate.then(() => ({ text: 'ok' })), {
      crew: { entry: 'a', agents: { a: { role: 'x' } } },
      heartbeatMs: 10,
    });
    const response = await post('/api/crew/stream', { input: 'go' });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(': alive')) text += (await reader?.read())?.value ?? '';
    open();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    expect(text).toContain('event: result');
  });
});

describe('sessions', () => {
  test('keep messages, take the answer to a question, and resume interrupted requests', async () => {
    const { post, url } = await started(
      ({ messages }) => ({
        text: (messages.at(-1)?.text ?? '').includes('web-1') ? 'Thanks. [ROUTE_B]' : 'Which machine?',
      }),
      {
        crew: {
          entry: 'a',
          agents: { a: { role: 'x', pause: true, hand_offs: ['b'] }, b: { role: 'y', terminal: true } },
        },
      },
    );
    const made = await post('/api/sessions', { id: 'ticket', title: 'A ticket' });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe('/api/sessions/ticket');
    expect((await post('/api/sessions', { id: 'ticket' })).status).toBe(409);
    expect(await told(post('/api/crew', { input: 'slow', session: 'ticket' }))).toMatchObject({
      status: 'paused',
      session: 'ticket',
    });
    expect(await told(ask(`${url}/api/sessions/ticket`))).toMatchObject({
      title: 'A ticket',
      messages: 2,
      turn: { type: 'pause', agent: 'a' },
    });
    const waiting = await post('/api/crew', { session: 'ticket' });
    expect([waiting.status, (await told(waiting)).detail]).toEqual([
      409,
      'session ticket waits for the user: pass an input',
    ]);
    expect((await post('/api/crew/stream', { session: 'ticket' })).status).toBe(409);
    expect(await told(post('/api/crew', { input: 'web-1', session: 'ticket' }))).toMatchObject({
      status: 'complete',
      agent: 'b',
    });
    const { messages } = await told(ask(`${url}/api/sessions/ticket/messages?limit=3`));
    expect(messages.map(({ message }) => message.content)).toEqual(['slow', 'Which machine?', 'web-1']);
    expect((await told(ask(`${url}/api/sessions`))).sessions).toMatchObject([{ id: 'ticket', messages: 5 }]);
    expect((await ask(`${url}/api/sessions/none`)).status).toBe(404);
    expect((await ask(`${url}/api/sessions/%2e%2e%2f`)).status).toBe(400);
    expect((await ask(`${url}/api/sessions?limit=x`)).status).toBe(400);
    expect((await post('/api/crew/stream', { input: 'x', session: 'none' })).status).toBe(404);
  });

  test('hides sessions that do not belong to a crew', async () => {
    const { post, url, store } = await started();
    const { id } = await store.create({ id: 'private' });
    await store.append(id, [{ type: 'message', message: { role: 'user', content: 'nobody else’s business' } }], 0);
    await post('/api/sessions', { id: 'ours' });
    expect((await told(ask(`${url}/api/sessions`))).sessions).toMatchObject([{ id: 'ours' }]);
    for (const path of ['private', 'private/messages'])
      expect((await ask(`${url}/api/sessions/${path}`)).status).toBe(409);
    expect((await post('/api/crew', { input: 'x', session: 'private' })).status).toBe(409);
  });

  test('runs one request at a time in a session', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { post } = await started(() => gate.then(() => ({ text: 'ok' })), {
      crew: { entry: 'a', agents: { a: { role: 'x' } } },
    });
    await post('/api/sessions', { id: 's' });
    const stream = await post('/api/crew/stream', { input: 'one', session: 's' });
    expect((await post('/api/crew', { input: 'two', session: 's' })).status).toBe(409);
    open();
    expect((await readEvents(stream)).at(-1)).toMatchObject({ type: 'result' });
    expect((await post('/api/crew', { input: 'two', session: 's' })).status).toBe(200);
  });
});

describe('access and rate limits', () => {
  test('unless the user chose a token, only answers to localhost and refuses pages of other sites', async () => {
    const { url } = await shared;
    const { request } = await import('node:http');
    const status = (headers: Record<string, string>, path = '/health') =>
      new Promise((resolve, reject) => {
        request(url + path, { headers }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end();
      });
    expect(await status({ host: 'evil.example' })).toBe(421);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect([await status(link, '/'), await status(link, '/api/crew')]).toEqual([302, 403]);
    expect(await status({ ...link, host: 'evil.example' }, '/')).toBe(421);
    expect(await status({ ...link, 'sec-fetch-mode': 'no-cors' }, '/')).toBe(403);
    const { host, port } = new URL(url);
    for (const origin of [
      'https://evil.example',
      'null',
      '',
      'http://localhost:1',
      `http://evil.example:${port}`,
      `${url}/x`,
    ])
      expect([origin, await status({ origin }), await status({ origin }, '/api/crew')]).toEqual([origin, 403, 403]);
    expect([await status({ origin: url }), await status({ origin: `https://${host}` })]).toEqual([200, 200]);
    expect(await status({ origin: 'http://LOCALHOST', host: 'localhost:80' })).toBe(200);
    const options = await ask(`${url}/api/crew`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('without the token, only health, readiness and the page work, and nothing can be changed', async () => {
    const { url, post, store } = await started();
    for (const path of ['/health', '/ready', '/']) expect((await fetch(url + path)).status).toBe(200);
    for (const path of ['/metrics', '/openapi.json', '/api/sessions', '/api/crew']) {
      const refused = await fetch(url + path);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect((await ask(url + path)).status).toBe(200);
    }
    await post('/api/sessions', { id: 'mine' });
    const changing = ['POST crew', 'POST crew/stream', 'GET crew/stream', 'DELETE crew/stream', 'POST sessions'].map(
      (at) => at.replace(' ', ' /api/'),
    );
    const inspecting = ['POST undo', 'POST redo', 'POST compare'].map((at) =>
      at.replace(' ', ' /inspect/api/sessions/mine/'),
    );
    for (const at of [...changing, ...inspecting, 'DELETE /inspect/api/compare/1'])
      for (const authorization of ['', 'Bearer', 'Bearer x', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`]) {
        const [method = '', path] = at.split(' ');
        const headers = { 'content-type': 'application/json', 'last-event-id': 'x', authorization };
        const body = method === 'POST' ? '{"input":"x"}' : null;
        expect([at, (await fetch(url + path, { method, headers, body })).status]).toEqual([at, 401]);
      }
    expect((await store.list({})).map(({ id }) => id)).toEqual(['mine']);
  });

  test('tells clients when to retry after too many requests from one address or in parallel', async () => {
    const { post } = await started(undefined, { rate: 2 });
    expect((await post('/api/crew', { input: 'x' })).status).toBe(200);
    expect((await post('/api/crew', { input: 'x' })).status).toBe(200);
    const refused = await post('/api/crew', { input: 'x' });
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 30]);
    const full = await started(() => new Promise(() => {}), { maxConcurrent: 1 });
    await readEvents(await full.post('/api/crew/stream', { input: 'x' }), ({ type }) => type === 'view-ready');
    expect((await full.post('/api/crew', { input: 'x' })).status).toBe(503);
  });
});

test('serves Prometheus metrics', async () => {
  const { url, post } = await shared;
  await post('/api/crew', { input: 'count me' });
  const text = await (await ask(`${url}/metrics`)).text();
  expect(text).toMatch(/holdfast_crew_requests_total\{status="complete"\} \d+/);
});

test('shutdown lets requests finish, accepts no new ones, and cancels slow ones', async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = await started(() => gate.then(() => ({ text: 'done' })), {
    crew: { entry: 'a', agents: { a: { role: 'x' } } },
  });
  const stream = await first.post('/api/crew/stream', { input: 'go' });
  const closed = first.server.close(10_000);
  open();
  expect((await readEvents(stream)).at(-1)).toMatchObject({ data: { result: { status: 'complete', output: 'done' } } });
  await closed;
  const second = await started(() => new Promise(() => {}), { crew: PAIR });
  const stuck = await second.post('/api/crew/stream', { input: 'go' });
  await Promise.all([
    second.server.close(20),
    readEvents(stuck).then((events) =>
      expect(events.at(-1)).toMatchObject({ data: { result: { status: 'cancelled' } } }),
    ),
  ]);
});

test('is not ready during shutdown; a second stop cancels running requests', async () => {
  const { post, url, server } = await started(() => new Promise(() => {}), { crew: PAIR });
  const stream = await post('/api/crew/stream', { input: 'go' });
  const first = server.close(600_000);
  expect((await fetch(`${url}/ready`)).status).toBe(503);
  expect((await post('/api/crew', { input: 'x' })).status).toBe(503);
  // Its last words may be cut off.
  await Promise.all([server.close(0), first, readEvents(stream).catch(() => [])]);
  expect(server.active()).toBe(0);
});

test('logs and counts unexpected failures', async () => {
  const lines: string[] = [];
  const { post, url, store } = await started(undefined, { log: (line) => void lines.push(line) });
  await post('/api/sessions', { id: 's' });
  store.append = () => Promise.reject(new HoldfastError('BAD_STORE', 'the disk is full'));
  expect((await post('/api/crew', { input: 'x', session: 's' })).status).toBe(503);
  expect(lines).toEqual([expect.stringContaining('request to the crew failed: HoldfastError: the disk is full')]);
  expect((await post('/api/sessions', { id: 't' })).status).toBe(503);
  expect(lines[1]).toContain('POST /api/sessions: HoldfastError: the disk is full');
  const text = await (await ask(`${url}/metrics`)).text();
  expect(text).toMatch(/holdfast_crew_requests_total\{status="failed"\} 1/);
  expect((await post('/api/crew', { input: 'x', session: 'none' })).status).toBe(404);
  expect(lines).toHaveLength(2);
});

test.each([
  ['nonsense\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['POST /api/crew HTTP/1.1\r\nhost: localhost\r\nexpect: a miracle\r\ncontent-length: 2\r\n\r\n{}', 417],
])('what is not a request is refused with a problem, too: %.20j', async (sent, status) => {
  const { url } = await shared;
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(sent);
  let answer = '';
  for await (const part of socket.setEncoding('utf8')) answer += part;
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*content-type: application/problem\\+json`, 'i'));
  expect(answer).toContain(`"status":${status},"detail":`);
});
