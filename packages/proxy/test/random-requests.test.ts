import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { runProxy, runUpstream } from './running.ts';

const RUNS = SOAK ? 10_000 : 150;

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom(
    'user',
    'assistant',
    'tool',
    'text',
    'tool_use',
    'tool_result',
    'thinking',
    'reasoning',
    'x'.repeat(9_000),
  ),
);
const key = fc.oneof(
  fc.constantFrom('role', 'content', 'type', 'text', 'id', 'tool_use_id', 'input', 'call_id', 'output', 'tool_calls'),
  fc.string({ maxLength: 5 }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom<unknown>(null, true, 0, -1.5, 1e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  ),
}));
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'system'), content: fc.oneof(text, value) }),
  fc.dictionary(key, value, { maxKeys: 5 }),
  value,
);
const body = fc.oneof(
  fc.record({
    model: fc.constantFrom('claude-opus-5-5', 'gpt-6-sol', ''),
    messages: fc.array(message),
    input: fc.array(message),
  }),
  fc.dictionary(fc.constantFrom('messages', 'input', 'model', 'stream', 'metadata', 'tools'), value),
  value,
);
const bytes = fc.oneof(
  body.map((one) => Buffer.from(JSON.stringify(one))),
  body.map((one) => Buffer.from(JSON.stringify(one, undefined, 1).slice(0, -1))),
  fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one)),
);
const request = fc.record({
  method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE'),
  path: fc.constantFrom(
    '/v1/messages',
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/messages?beta=true',
    '/v1/%00',
    '//x',
    '/../..',
  ),
  headers: fc.dictionary(
    fc.constantFrom(
      'x-api-key',
      'authorization',
      'content-encoding',
      'x-session-id',
      'expect',
      'te',
      'anthropic-version',
    ),
    fc.constantFrom('a', 'Bearer b', 'gzip', 'identity', '100-continue', 'trailers', 'ü'),
  ),
  body: bytes,
});

const isJson = (one: Buffer) => {
  try {
    JSON.parse(one.toString());
    return true;
  } catch {
    return false;
  }
};

test('random requests crash nothing, and the upstream gets nothing broken that the client did not send', async () => {
  const upstream = await runUpstream((_, response) => response.end('{"usage":{"input_tokens":5,"output_tokens":1}}'));
  const { url, port, events } = await runProxy(upstream.url, { max_tokens: 4_000 });
  const send = async ({
    method,
    path,
    headers,
    body: sent,
  }: typeof request extends fc.Arbitrary<infer R> ? R : never) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    const lines = Object.entries({ ...headers, 'content-length': String(sent.length) }).map(
      ([name, one]) => `${name}: ${one}`,
    );
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n${lines.join('\r\n')}\r\n\r\n`,
      'latin1',
    );
    socket.write(sent);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(socket, 'close');
    return Number(
      /^HTTP\/1.1 (?:100 Continue\r\n\r\nHTTP\/1.1 )?(\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1],
    );
  };
  await fc.assert(
    fc.asyncProperty(request, async (one) => {
      const before = upstream.reached.length;
      const status = await send(one);
      expect(status).toBe(200);
      const reached = upstream.reached[before];
      expect(reached).toMatchObject({ method: one.method, url: one.path });
      if (!reached?.body.equals(one.body))
        expect([isJson(one.body), isJson(reached?.body ?? Buffer.of())]).toEqual([true, true]);
    }),
    { numRuns: RUNS, seed: SOAK ? Date.now() : 19 },
  );
  expect(events.filter(({ type }) => type === 'request-refuse')).toEqual([]);
  expect((await fetch(`${url}/holdfast/status`)).status).toBe(200);
});
