import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Serving, serving } from './serving.ts';

const REQUESTS = process.env.HOLDFAST_SOAK ? 50_000 : 5_000;

let served: Serving;
beforeAll(async () => {
  served = await serving();
}, 120_000);
afterAll(() => served.close());

/** The same numbers each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PATHS = [
  ...Array<string>(12).fill('/api/crew'),
  ...Array<string>(6).fill('/api/crew/stream'),
  ...Array<string>(6).fill('/api/sessions'),
  '/api/crew',
  '/api/crew/stream',
  '/api/sessions',
  '/api/sessions/x',
  '/api/sessions/x/messages',
  '/api',
  '//api/crew',
  '/api/crew/../x',
  '/%00',
  '/api/sessions/%ff',
  '/metrics/x',
  '/openapi.jsonx',
  '/api/sessions/..%2f..',
  `/${'a'.repeat(500)}`,
];
const METHODS = [...Array<string>(12).fill('POST'), 'PUT', 'DELETE', 'PATCH'];
const VALUES = [
  'null',
  'true',
  '-1',
  '1e999',
  '"x"',
  '[]',
  '{}',
  '"\\ud800"',
  '"\\u0000"',
  '[[[]]]',
  '{"role":"user"}',
  '[{"role":"tool","content":"x"}]',
  '[null]',
  '"__proto__"',
  `"${'a'.repeat(40_000)}"`,
];
const KEYS = ['input', 'history', 'session', '__proto__', 'constructor', 'toString', 'x', '', 'role', 'content'];
const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'application/x-www-form-urlencoded',
  '',
  'application/json+x',
  'multipart/form-data',
];

function body(random: (below: number) => number): string {
  const kind = random(6);
  if (kind === 0) return '{'.repeat(random(2_000));
  if (kind === 1) return `${'['.repeat(random(400))}${']'.repeat(random(400))}`;
  const entries = Array.from(
    { length: random(4) },
    () => `${JSON.stringify(KEYS[random(KEYS.length)])}:${VALUES[random(VALUES.length)]}`,
  );
  const text = `{${entries.join(',')}}`;
  // A byte that was changed on the way.
  if (kind === 2 && text.length > 1)
    return text.slice(0, random(text.length)) + String.fromCharCode(random(256)) + text.slice(random(text.length));
  return kind === 3 ? (VALUES[random(VALUES.length)] ?? '') : text;
}

test(`${REQUESTS} malformed requests: always a problem of the client, never of the server`, {
  timeout: 900_000,
}, async () => {
  const random = numbers(4_711);
  const statuses = new Map<number, number>();
  const one = async () => {
    const headers: Record<string, string> = {};
    const type = TYPES[random(TYPES.length)] ?? '';
    if (type !== '') headers['content-type'] = type;
    if (random(10) === 0) headers['last-event-id'] = ['x', '1:2', `${'0'.repeat(36)}:1`, '', '-1'][random(5)] ?? '';
    if (random(10) === 0) headers['sec-fetch-site'] = 'cross-site';
    const path = PATHS[random(PATHS.length)] ?? '/';
    const response = await fetch(served.url + path, {
      method: METHODS[random(METHODS.length)] ?? 'POST',
      headers,
      body: body(random),
    });
    const text = await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    // `{}` makes a session, and that is right; so is `{"input":"x"}`.
    const isRight =
      (response.status === 201 && path === '/api/sessions') ||
      (response.status === 200 && path.startsWith('/api/crew'));
    if (isRight) return;
    expect(response.status, `${path} ${text}`).toBeGreaterThanOrEqual(400);
    expect(response.status, `${path} ${text}`).toBeLessThan(500);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(text)).toMatchObject({
      status: response.status,
      title: expect.any(String),
      detail: expect.any(String),
    });
  };
  for (let i = 0; i < REQUESTS; i += 20) await Promise.all(Array.from({ length: 20 }, one));
  console.log('fuzz:', JSON.stringify(Object.fromEntries([...statuses].sort())));
  expect((await fetch(`${served.url}/health`)).status).toBe(200);
});

test('bytes that are no HTTP, and requests that are cut off, do no harm', async () => {
  const { hostname, port } = new URL(served.url);
  const random = numbers(99);
  const heads = [
    'GET / HTTP/1.1\r\n\r\n',
    'POST /api/crew HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"in',
    'GET / HTTP/9\r\n\r\n',
    '\0\0\0\0',
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'b'.repeat(20_000)}\r\n\r\n`,
    'POST /api/crew HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  ];
  for (let i = 0; i < 100; i++) {
    const socket = connect(Number(port), hostname);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes;
      });
      socket.once('close', () => resolve(text));
      socket.once('error', () => resolve(text));
      socket.end(heads[random(heads.length)] ?? '');
    });
    if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
  expect((await fetch(`${served.url}/health`)).status).toBe(200);
});
