import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createProxy } from '../src/index.ts';
import { bytesOf, hashOf, runProxy, runUpstream } from './running.ts';

const JSON_HEADERS = { 'content-type': 'application/json', 'x-api-key': 'key' };

test('a request and its answer pass unchanged, whatever the path', async () => {
  const answer = randomBytes(300_000);
  const upstream = await runUpstream((_, response) => {
    response.sendDate = false;
    response.writeHead(207, ['X-Odd', 'a', 'X-Odd', 'b', 'content-type', 'text/odd']);
    response.end(answer);
  });
  const { url } = await runProxy(`${upstream.url}/base/`);
  const sent = randomBytes(300_000);
  const response = await fetch(`${url}/unknown/path?a=1&b=%2F`, { method: 'PUT', body: sent, headers: JSON_HEADERS });
  expect(hashOf(Buffer.from(await response.arrayBuffer()))).toBe(hashOf(answer));
  expect([response.status, response.headers.get('x-odd'), response.headers.get('date')]).toEqual([207, 'a, b', null]);
  const [reached] = upstream.reached;
  expect(reached).toMatchObject({ method: 'PUT', url: '/base/unknown/path?a=1&b=%2F' });
  expect(reached?.headers).toMatchObject({
    ...JSON_HEADERS,
    host: new URL(upstream.url).host,
    'content-length': '300000',
  });
  expect(hashOf(reached?.body ?? Buffer.of())).toBe(hashOf(sent));
});

test.each([
  ['HEAD', '/api/hello'],
  ['GET', '/v1/models'],
  ['DELETE', '/v1/responses/resp_1'],
  ['POST', '/v1/messages/count_tokens'],
  ['OPTIONS', '/'],
])('%s %s without a body passes', async (method, path) => {
  const upstream = await runUpstream((_, response) => response.writeHead(200, { 'content-length': 2 }).end('ok'));
  const { url } = await runProxy(upstream.url);
  const response = await fetch(url + path, { method });
  expect([response.status, await response.text()]).toEqual([200, method === 'HEAD' ? '' : 'ok']);
  expect(response.headers.get('content-length')).toBe('2');
  expect(upstream.reached).toMatchObject([{ method, url: path, body: Buffer.of() }]);
});

test('a compressed answer stays compressed', async () => {
  const packed = gzipSync('{"hello":"world"}');
  const upstream = await runUpstream((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  });
  const { url } = await runProxy(upstream.url);
  const [answer] = (await once(get(`${url}/v1/models`), 'response')) as [IncomingMessage];
  expect(answer.headers['content-encoding']).toBe('gzip');
  expect((await bytesOf(answer)).equals(packed)).toBe(true);
});

const ASKED = {
  model: 'gpt-6-sol',
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ],
};

test.each([
  ['passed on', '/v1/stream', { method: 'GET' }],
  ['in a conversation', '/v1/chat/completions', { method: 'POST', body: JSON.stringify(ASKED) }],
])('headers and chunks arrive one by one, none is held back: %s', async (_, path, init) => {
  let next = () => {};
  const upstream = await runUpstream(async (__, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (let i = 0; i < 20; i++) {
      await new Promise<void>((resolve) => {
        next = resolve;
      });
      response.write(`data: ${i}\n\n`);
    }
    response.end();
  });
  const { url } = await runProxy(upstream.url);
  // Answers only when the headers are here, and the upstream sends each chunk only after the one before was received.
  const response = await fetch(url + path, init);
  const reader = response.body?.getReader();
  for (let i = 0; i < 20; i++) {
    next();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toBe(`data: ${i}\n\n`);
  }
});

test('usage counts even if the client hangs up at the last event', async () => {
  const usage = { input_tokens: 12, output_tokens: 3, input_tokens_details: { cached_tokens: 4 } };
  const upstream = await runUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: x\ndata: ${JSON.stringify({ type: 'response.completed', response: { usage } })}\n\n`);
  });
  const { url, proxy } = await runProxy(upstream.url);
  const aborter = new AbortController();
  const input = [{ role: 'user', content: 'Hello' }];
  const body = JSON.stringify({ model: 'gpt-6-sol', input });
  const response = await fetch(`${url}/v1/responses`, { method: 'POST', body, signal: aborter.signal });
  await response.body?.getReader().read();
  aborter.abort();
  await expect.poll(() => proxy.status().active).toBe(0);
  expect(proxy.status().totals).toMatchObject({ requests: 1, tokens: { input: 8, cacheRead: 4, output: 3 } });
});

test('an upload reaches the upstream while it is being sent', async () => {
  let arrived = () => {};
  const firstPart = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const upstream = await runUpstream();
  upstream.server.on('request', (request: IncomingMessage) => request.once('data', arrived));
  const { url } = await runProxy(upstream.url);
  const upload = httpRequest(`${url}/v1/files`, { method: 'POST' });
  upload.write('first');
  await firstPart;
  upload.end(' second');
  const [answer] = (await once(upload, 'response')) as [IncomingMessage];
  await bytesOf(answer);
  expect(upstream.reached[0]?.body.toString()).toBe('first second');
});

test('a client that does not read slows the upstream down', async () => {
  const chunk = Buffer.alloc(65_536);
  let written = 0;
  let stalled = () => {};
  const stall = new Promise<void>((resolve) => {
    stalled = resolve;
  });
  const total = 64 * 1024 * 1024;
  const upstream = await runUpstream(async (_, response) => {
    for (; written < total; written += chunk.length) {
      if (response.write(chunk)) continue;
      const drained = once(response, 'drain').then(() => true);
      // The sockets between here and the client hold a few megabytes; then nothing drains until the client reads.
      const isMoving = await Promise.race([drained, idle()]);
      if (!isMoving) stalled();
      await drained;
    }
    response.end();
  });
  const { url } = await runProxy(upstream.url);
  const [answer] = (await once(get(`${url}/v1/slow`), 'response')) as [IncomingMessage];
  await stall;
  expect(written).toBeLessThan(total / 2);
  let read = 0;
  for await (const part of answer) read += (part as Buffer).length;
  expect(read).toBe(total);
});

/** Resolves to false after the event loop found nothing to do for a while. */
async function idle(): Promise<false> {
  for (let i = 0; i < 2_000; i++) await new Promise((resolve) => setImmediate(resolve));
  return false;
}

test('a client that hangs up ends the request upstream', async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const upstream = await runUpstream((_, response) => {
    response.on('close', end);
    response.write('data: 1\n\n');
  });
  const { url, proxy } = await runProxy(upstream.url);
  const aborter = new AbortController();
  const response = await fetch(`${url}/v1/stream`, { signal: aborter.signal });
  expect(response.status).toBe(200);
  expect(proxy.status().active).toBe(1);
  aborter.abort();
  await ended;
  await expect.poll(() => proxy.status().active).toBe(0);
});

test.each(['/v1/files', '/v1/chat/completions'])(
  'a client that hangs up before the answer begins ends the request upstream: %s',
  async (path) => {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const upstream = await runUpstream((_, response) => void response.on('close', end));
    const { url, proxy } = await runProxy(upstream.url);
    const aborter = new AbortController();
    const asked = fetch(url + path, { method: 'POST', body: JSON.stringify(ASKED), signal: aborter.signal });
    await expect.poll(() => upstream.reached.length).toBe(1);
    aborter.abort();
    await expect(asked).rejects.toThrow();
    await ended;
    await expect.poll(() => proxy.status().active).toBe(0);
  },
);

test('if the upstream breaks off, so does the answer', async () => {
  const upstream = await runUpstream((_, response) => {
    response.write('data: 1\n\n', () => response.destroy());
  });
  const { url } = await runProxy(upstream.url);
  const response = await fetch(`${url}/v1/stream`);
  await expect(response.text()).rejects.toThrow();
});

test.each([
  ['/v1/messages', { type: 'error', error: { type: 'api_error' } }],
  ['/v1/chat/completions', { error: { type: 'server_error', code: null } }],
  ['/v1beta/models/gemini-3.8-flash:generateContent', { error: { code: 502, status: 'UNAVAILABLE' } }],
])('an upstream that cannot be reached is a 502 in the form of the API: %s', async (path, form) => {
  const { url, events } = await runProxy('http://127.0.0.1:9');
  const response = await fetch(url + path, { method: 'POST', body: '{}', headers: JSON_HEADERS });
  expect(response.status).toBe(502);
  const body = await response.json();
  expect(body).toMatchObject(form);
  expect(JSON.stringify(body)).toMatch(/holdfast proxy: .*127\.0\.0\.1:9.*ECONNREFUSED/);
  expect(events).toMatchObject([{ type: 'upstream-fail', message: expect.stringContaining('ECONNREFUSED') }]);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('refusals_total{status="502"} 1');
});

test('the vendor decides where a request goes, so that no key reaches another', async () => {
  const [anthropic, openai, gemini] = [await runUpstream(), await runUpstream(), await runUpstream()];
  const upstreams = { anthropic: anthropic.url, openai: `${openai.url}/v1`, gemini: `${gemini.url}/v1beta` };
  const { url } = await runProxy('', { upstreams });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  await fetch(`${url}/v1/models`, { headers: bearer('sk-proj-1') });
  await fetch(`${url}/v1/models`, { headers: bearer('sk-ant-1') });
  await fetch(`${url}/v1/models`, { headers: { 'x-api-key': 'k' } });
  await fetch(`${url}/v1/files`, { headers: { 'anthropic-version': '2023-06-01' } });
  await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}', headers: bearer('sk-ant-1') });
  await fetch(`${url}/v1/responses`, { method: 'POST', body: '{}' });
  await fetch(`${url}/api/hello`, { method: 'HEAD' });
  await fetch(`${url}/v1beta/models/m:streamGenerateContent?alt=sse&key=k`, { method: 'POST', body: '{}' });
  await fetch(`${url}/v1/models`, { headers: { 'x-goog-api-key': 'k' } });
  expect(openai.reached.map((one) => one.url)).toEqual(['/v1/models', '/v1/responses']);
  expect(gemini.reached.map((one) => one.url)).toEqual([
    '/v1beta/models/m:streamGenerateContent?alt=sse&key=k',
    '/v1beta/v1/models',
  ]);
  expect(anthropic.reached.map((one) => one.url)).toEqual([
    ...['/v1/models', '/v1/models', '/v1/files', '/v1/chat/completions', '/api/hello'],
  ]);
});

test.each([
  ['', '/v1/chat/completions?a=1', '/v1/chat/completions?a=1'],
  ['/v1', '/v1/models', '/v1/models'],
  ['/api/paas/v4/', '/v1/chat/completions', '/api/paas/v4/chat/completions'],
  ['/v1beta/openai', '/v1/models', '/v1beta/openai/models'],
  ['/gateway', '/v1', '/gateway'],
  ['/gateway', '/v10/models', '/gateway/v10/models'],
])(
  'with the base URL %s for OpenAI, %s asks for %s, as a client with that base URL does',
  async (base, path, asked) => {
    const upstream = await runUpstream();
    const { url } = await runProxy('', { upstreams: { openai: upstream.url + base } });
    await fetch(url + path, { headers: { authorization: 'Bearer sk-proj-1' } });
    expect(upstream.reached.map((one) => one.url)).toEqual([asked]);
  },
);

test('a WebSocket is refused with 426, another upgrade is ignored', async () => {
  const upstream = await runUpstream();
  const { port } = await runProxy(upstream.url);
  const say = async (upgrade: string) => {
    const socket = connect(port, '127.0.0.1');
    const lines = [
      `GET /v1/responses HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      'connection: upgrade',
      `upgrade: ${upgrade}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return first.toString().split('\r\n', 1)[0];
  };
  expect(await say('websocket')).toBe('HTTP/1.1 426 Upgrade Required');
  expect(await say('h2c')).toBe('HTTP/1.1 200 OK');
});

test('web pages and foreign host names are refused', async () => {
  const upstream = await runUpstream();
  const { port, events } = await runProxy(upstream.url);
  const statusOf = async (headers: Record<string, string>, path = '/v1/models') => {
    const request = get({ host: '127.0.0.1', port, path, headers });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  const own = `127.0.0.1:${port}`;
  expect(await statusOf({ host: own })).toBe(200);
  expect(await statusOf({ host: `localhost:${port}` })).toBe(200);
  expect(await statusOf({ host: own, origin: 'vscode-file://vscode-app' })).toBe(200);
  for (const origin of ['https://evil.example', 'http://localhost:3000', 'null'])
    expect(await statusOf({ host: own, origin })).toBe(403);
  // A page's images and scripts have no Origin; an address that a person typed is of no site.
  expect(await statusOf({ host: own, 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusOf({ host: own, 'sec-fetch-site': 'none' })).toBe(200);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    '127.0.0.1:1',
    `127.0.0.1.evil.example:${port}`,
  ])
    expect(await statusOf({ host })).toBe(403);
  expect(await statusOf({ host: own }, 'http://evil.example/')).toBe(400);
  expect(await statusOf({ host: 'evil.example' }, '/holdfast/status')).toBe(403);
  expect(upstream.reached).toHaveLength(4);
  expect(events.filter(({ type }) => type === 'request-refuse')).toHaveLength(11);
});

test('a client that uses it as an HTTP proxy learns what to set', async () => {
  const { port, events } = await runProxy('http://127.0.0.1:9');
  const request = httpRequest({ host: '127.0.0.1', port, method: 'CONNECT', path: 'api.anthropic.com:443' }).end();
  const [answer, socket] = (await once(request, 'connect')) as [IncomingMessage, Socket];
  await once(socket.resume(), 'close');
  expect(answer.statusCode).toBe(400);
  expect(events).toMatchObject([
    { type: 'request-refuse', status: 400, message: expect.stringContaining('not as HTTP proxy') },
  ]);
});

test('headers keep their bytes both ways', async () => {
  const bytes = Buffer.from([0x63, 0xe9, 0x20, 0xe2, 0x82, 0xac]);
  const upstream = await runUpstream((_, response) => {
    response.writeHead(200, { 'x-odd': bytes.toString('latin1'), 'content-length': 0 }).end();
  });
  const { port } = await runProxy(upstream.url);
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-odd: ${bytes.toString('latin1')}\r\n\r\n`, 'latin1');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(answer.includes(Buffer.concat([Buffer.from('x-odd: '), bytes, Buffer.from('\r\n')]))).toBe(true);
  expect(upstream.reached[0]?.headers['x-odd']).toBe(bytes.toString('latin1'));
});

test('headers of the connection itself are not passed on', async () => {
  const upstream = await runUpstream((_, response) => {
    response.writeHead(200, { connection: 'X-Hop', 'x-hop': '1', 'x-kept': '2', 'content-length': 0 }).end();
  });
  const { port } = await runProxy(upstream.url);
  const headers = { connection: 'close, X-Hop', 'x-hop': '1', te: 'trailers', 'x-kept': '2' };
  const [answer] = (await once(get({ host: '127.0.0.1', port, headers }), 'response')) as [IncomingMessage];
  answer.resume();
  for (const passed of [upstream.reached[0]?.headers, answer.headers])
    expect([passed?.['x-kept'], passed?.['x-hop']]).toEqual(['2', undefined]);
  expect(upstream.reached[0]?.headers.te).toBeUndefined();
});

test('headers may be as large as the APIs accept', async () => {
  const { url } = await runProxy('http://127.0.0.1:9');
  const response = await fetch(`${url}/metrics`, { headers: { 'x-large': 'x'.repeat(100_000) } });
  expect(response.status).toBe(200);
});

test('too many requests at a time are refused', async () => {
  const upstream = await runUpstream((_, response) => response.write('x'));
  const { url } = await runProxy(upstream.url, { limits: { requests: 1 } });
  const first = await fetch(`${url}/v1/models`);
  const second = await fetch(`${url}/v1/models`);
  expect([first.status, second.status, second.headers.get('retry-after')]).toEqual([200, 503, '1']);
  await first.body?.cancel();
});

test('invalid options are refused with advice', () => {
  expect(() => createProxy({ host: '0.0.0.0' })).toThrow('listens only on this machine');
  expect(() => createProxy({ upstreams: { openai: 'https://me:secret@x.example' } })).toThrow(
    /^invalid upstream for openai/,
  );
  expect(() => createProxy({ upstreams: { anthropic: 'ftp://x' } })).toThrow('expected a URL such as');
  expect(() => createProxy({ limits: { body_bytes: 0 } })).toThrow('invalid body_bytes 0');
});

test.each(['/v1/messages', '/v1/files'])(
  'a redirect is passed to the client, and nothing is sent elsewhere: %s',
  async (path) => {
    const elsewhere = await runUpstream();
    const location = `${elsewhere.url}/v1/messages`;
    const upstream = await runUpstream((_, response) => response.writeHead(307, { location }).end());
    const { url } = await runProxy(upstream.url);
    const body = JSON.stringify({ model: 'claude-opus-5-5', messages: [{ role: 'user', content: 'A secret plan.' }] });
    const response = await fetch(url + path, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { 'x-api-key': 'k' },
    });
    expect([response.status, response.headers.get('location')]).toEqual([307, location]);
    expect([upstream.reached.length, elsewhere.reached]).toEqual([1, []]);
  },
);
