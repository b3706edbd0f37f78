import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { malformedRequest, numbers, type Random, RIGHT_TOKEN, requestsWithOneWrongPart } from './malformed-requests.ts';
import { ask, type Serving, serving } from './serving.ts';

/** Half of them with malformed bodies, half with malformed heads. */
const REQUESTS = SOAK ? 50_000 : 1_500;
const AT_ONCE = 20;

let served: Serving;
/** What the server could not do: nothing. */
const log: string[] = [];
beforeAll(async () => {
  served = await serving(undefined, { log: (line) => void log.push(line) });
}, 120_000);
afterAll(() => served.close());

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
  '[{"role":"system","content":"x"}]',
  '[{"role":"system","content":"x"},{"role":"user","content":"y"},{"role":"system","content":"z"}]',
  '[{"role":"assistant","content":null,"tool_calls":[{}]}]',
  `[${'{},'.repeat(2_000)}{}]`,
  `[${'0,'.repeat(150_000)}0]`,
  `{${Array.from({ length: 3_000 }, (_, i) => `"${i}":0`).join(',')}}`,
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

function body(random: Random): string {
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

test(`${REQUESTS / 2} malformed bodies: always a problem of the client, never of the server`, {
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
    const response = await ask(served.url + path, {
      method: METHODS[random(METHODS.length)] ?? 'POST',
      headers,
      body: body(random),
    });
    const text = await response.text();
    expect(text.length, path).toBeLessThan(100_000);
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
  for (let i = 0; i < REQUESTS / 2; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, one));
  tell('bodies', statuses);
  await expectWell(served);
});

/** What comes back for these bytes, until the server closes. */
function answerTo({ url }: Serving, sent: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('latin1').on('data', (part) => {
      text += part;
    });
    socket.once('close', () => resolve(text));
    socket.once('error', () => resolve(text));
    socket.end(sent);
  });
}

const WELL = new Set(['/health', '/ready', '/metrics', '/openapi.json', '/api/crew', '/api/sessions']);

/** Undefined if it is as it should be: a problem of the client, or what a request that is right gets. */
function wrongIn(answer: string, sent: Buffer): string | undefined {
  // Who is closed on while they still send may lose the answer on the way.
  if (answer === '') return undefined;
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const [method = '', target = ''] = sent.toString('latin1').split(' ', 2);
  const path = URL.parse(target, 'http://localhost')?.pathname ?? '';
  if (/^access-control-/im.test(head)) return 'lets other sites in';
  if (status === 100) return wrongIn(answer.slice(answer.indexOf('\r\n\r\n') + 4), sent);
  if (status >= 200 && status < 300)
    return WELL.has(path) && (sent.includes(`${RIGHT_TOKEN}\r\n`) || !path.startsWith('/api'))
      ? undefined
      : `${status} for ${path}`;
  // The start leads to the inspector, and only there.
  if (status === 302 && path === '/' && /^location: \/inspect\/\r?$/im.test(head)) return undefined;
  if (!(status >= 400 && status < 500)) return `${status}`;
  if (!/^content-type: application\/problem\+json\r?$/im.test(head)) return 'is no problem';
  if (status === 405 && !/^allow: [A-Z, ]+\r?$/im.test(head)) return '405 without allow';
  if (method === 'HEAD') return undefined;
  const problem = JSON.parse(/\{.*\}/.exec(body)?.[0] ?? '{}');
  return problem.status === status && problem.detail !== '' ? undefined : `says ${problem.status}`;
}

test(`${REQUESTS / 2} malformed heads over bare sockets: methods, paths, hosts, lengths, encodings, ids, tokens`, {
  timeout: 900_000,
}, async () => {
  const random = numbers(816);
  const statuses = new Map<number, number>();
  const first = requestsWithOneWrongPart();
  const one = async () => {
    const sent = first.pop() ?? malformedRequest(random);
    const answer = await answerTo(served, sent);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const wrong = wrongIn(answer, sent);
    if (wrong !== undefined)
      expect.fail(`${wrong}\n${sent.toString('latin1').slice(0, 600)}\n---\n${answer.slice(0, 600)}`);
  };
  for (let i = 0; i < REQUESTS / 2; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, one));
  tell('heads', statuses);
  // If one kind of refusal caught everything, the test would prove nothing.
  for (const status of [200, 400, 401, 403, 404, 405, 413, 415, 417, 421, 431])
    expect([status, (statuses.get(status) ?? 0) > 0]).toEqual([status, true]);
  expect(statuses.get(0) ?? 0).toBeLessThanOrEqual(REQUESTS / 200);
  await expectWell(served);
});

function tell(what: string, statuses: ReadonlyMap<number, number>): void {
  console.log(`fuzz, ${what}:`, JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b))));
}

async function expectWell({ url, server }: Serving): Promise<void> {
  await expect.poll(() => server.active()).toBe(0);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(log).toEqual([]);
}
