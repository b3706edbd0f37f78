import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { bytesInUse } from './bytes-in-use.ts';
import { bytesOf, runProxy, runUpstream } from './running.ts';

/** A request with so many bytes of instructions. */
const bodyOf = (size: number) =>
  JSON.stringify({ model: 'gpt-6-sol', instructions: 'x'.repeat(size), input: [{ role: 'user', content: 'Hello' }] });

async function post(url: string, body: string, length = true): Promise<IncomingMessage> {
  const request = httpRequest(`${url}/v1/responses`, { method: 'POST' });
  if (length) request.setHeader('content-length', Buffer.byteLength(body));
  request.write(body);
  request.end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

/** An upstream that begins an answer only when told to, and never ends it. */
async function runHesitant() {
  const waiting: ServerResponse[] = [];
  const upstream = await runUpstream((_, response) => {
    waiting.push(response);
    upstream.reached.length = 0;
  });
  const begin = () => {
    for (const response of waiting.splice(0))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('\n');
  };
  return { ...upstream, waiting, begin };
}

test.each([
  ['with a length', true],
  ['in chunks', false],
])(
  'all bodies together take no more than their room; the next ones wait until an answer begins: %s',
  async (_, length) => {
    const upstream = await runHesitant();
    const size = 100_000;
    const limits = { body_bytes: 3 * size, all_bodies_bytes: 3 * size + 1_000 };
    const { url, events } = await runProxy(upstream.url, { limits, max_tokens: 10_000_000 });
    const answers = Array.from({ length: 7 }, () => post(url, bodyOf(size), length));
    const began: number[] = [];
    while (began.reduce((sum, count) => sum + count, 0) < answers.length) {
      await expect.poll(() => upstream.waiting.length, { timeout: 10_000 }).toBeGreaterThan(0);
      began.push(upstream.waiting.length);
      upstream.begin();
    }
    for (const answer of await Promise.all(answers)) {
      expect(answer.statusCode).toBe(200);
      answer.destroy();
    }
    expect(Math.max(...began)).toBeLessThanOrEqual(3);
    expect(events).toEqual([]);
  },
);

test('a body for which there is no room in time gets a 503 with advice', async () => {
  const upstream = await runHesitant();
  const { url } = await runProxy(upstream.url, { limits: { all_bodies_bytes: 10_000, room_ms: 1 } });
  const first = post(url, bodyOf(9_000));
  await expect.poll(() => upstream.waiting.length).toBe(1);
  const second = await post(url, bodyOf(9_000));
  expect([second.statusCode, second.headers['retry-after']]).toEqual([503, '5']);
  expect((await bytesOf(second)).toString()).toMatch(
    /holdfast proxy: running requests already hold 10000 bytes, the limit; try again/,
  );
  upstream.begin();
  (await first).destroy();
});

test.each([
  ['announced', 'content-length: 64000000\r\n\r\n{'],
  ['in chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
])('uploads that only begin take no room from others, however large they may become: %s', async (_, begun) => {
  const upstream = await runUpstream();
  const { url, port, proxy } = await runProxy(upstream.url, { limits: { room_ms: 1 } });
  const slow = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
  for (const socket of slow) socket.write(`POST /v1/responses HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${begun}`);
  await expect.poll(() => proxy.status().active).toBe(slow.length);
  expect((await post(url, bodyOf(1_000_000))).resume().statusCode).toBe(200);
  for (const socket of slow) socket.destroy();
});

test('requests that pass as streams need no room', async () => {
  const upstream = await runHesitant();
  const { url } = await runProxy(upstream.url, { limits: { all_bodies_bytes: 1, room_ms: 1 } });
  const first = post(url, bodyOf(10));
  await expect.poll(() => upstream.waiting.length).toBe(1);
  const upload = fetch(`${url}/v1/files`, { method: 'POST', body: 'x'.repeat(1_000_000) });
  await expect.poll(() => upstream.waiting.length).toBe(2);
  upstream.begin();
  expect((await upload).status).toBe(200);
  (await first).destroy();
});

test('a request is not kept in memory while its answer comes', async () => {
  const upstream = await runHesitant();
  const { url } = await runProxy(upstream.url, { limits: { recent_bytes: 1 } });
  const [size, count] = [2_000_000, 20];
  const before = await bytesInUse();
  const answers: IncomingMessage[] = [];
  for (let i = 0; i < count; i++) {
    const asked = post(url, bodyOf(size));
    await expect.poll(() => upstream.waiting.length, { timeout: 10_000 }).toBe(1);
    upstream.begin();
    answers.push(await asked);
  }
  expect((await bytesInUse()) - before).toBeLessThan((size * count) / 4);
  for (const answer of answers) answer.destroy();
});
