import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, createServer as createHttpServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SessionStore } from '@holdfast/sessions';
import { expect, onTestFinished, test, vi } from 'vitest';
import { boundConnections, endSilent } from '../src/http/connections.ts';
import { bytesOf, runProxy, runUpstream } from './running.ts';

const BODY = JSON.stringify({ model: 'gpt-6-sol', messages: [{ role: 'user', content: 'Hello' }] });

/** A client with one connection, closed after the test. */
function oneConnection() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

async function statusOf(url: string, { agent = oneConnection(), method = 'POST', body = BODY } = {}): Promise<number> {
  const request = httpRequest(url, { agent, method });
  request.end(method === 'POST' ? body : undefined);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  await bytesOf(answer);
  return answer.statusCode ?? 0;
}

/** Keeps the process from doing anything else. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Longer than `client_ms`, and than the second that Node adds to it between requests. */
const LONG = 1_300;

test('a request that arrives while the process is busy is served, on new connections and on used ones', async () => {
  const { url, port } = await runProxy('http://127.0.0.1:9', { limits: { client_ms: 100 } });
  const asked = `GET /metrics HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (socket: Socket) => String((await once(socket, 'data'))[0]).slice(0, 12);
  const used = await open();
  used.write(asked);
  expect(await ask(used)).toBe('HTTP/1.1 200');
  await turn();
  const fresh = await open();
  const answers = Promise.all([ask(used), ask(fresh)]);
  for (const socket of [used, fresh]) socket.write(asked);
  block(LONG);
  expect(await answers).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
});

test.each(['/v1/files', '/v1/chat/completions'])(
  'an upload may take any time as long as it continues, also while the process is busy: %s',
  async (path) => {
    const upstream = await runUpstream();
    const client_ms = 100;
    const { url } = await runProxy(upstream.url, { limits: { client_ms } });
    const upload = httpRequest(url + path, { method: 'POST' });
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>;
    const end = performance.now() + 5 * client_ms;
    let size = 0;
    for (; performance.now() < end; size++) {
      upload.write('x');
      await turn();
    }
    upload.write('x');
    size++;
    // The timer ends before this byte is read.
    block(2 * client_ms);
    await turn();
    upload.end();
    const [answer] = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(200);
    expect(upstream.reached[0]?.body).toHaveLength(size);
  },
);

test('only silence ends a request: Node would end one that takes more than 5 minutes', () => {
  const server = createHttpServer();
  endSilent(server, 65_000);
  expect([server.requestTimeout, server.headersTimeout, server.timeout]).toEqual([0, 0, 65_000]);
});

test('a client that stops in the middle of a request gets a 408, and one that asks nothing is disconnected', async () => {
  const { url, port } = await runProxy('http://127.0.0.1:9', { limits: { client_ms: 50 } });
  const silent = connect(port, '127.0.0.1');
  const stuck = connect(port, '127.0.0.1');
  stuck.write(`POST /v1/messages HTTP/1.1\r\nhost: ${new URL(url).host}\r\ncontent-length: 100\r\n\r\n{`);
  const [said] = await Promise.all([bytesOf(stuck), once(silent.resume(), 'close')]);
  expect(said.toString()).toMatch(/^HTTP\/1\.1 408 /);
});

test('a client that waits for its answer, or whose upload the upstream does not read, is not silent', async () => {
  let proceed = () => {};
  const slow = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const upstream = createServer((socket) => {
    socket.pause();
    socket.on('error', () => {});
    void slow.then(() => {
      socket.resume();
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void upstream.close());
  const { port: to } = upstream.address() as { port: number };
  const { url, proxy } = await runProxy(`http://127.0.0.1:${to}`, { limits: { client_ms: 20 } });
  const waiting = [statusOf(`${url}/v1/responses`), statusOf(`${url}/v1/files`, { body: 'x'.repeat(20_000_000) })];
  await expect.poll(() => proxy.status().active).toBe(2);
  for (let i = 0; i < 3; i++) {
    block(30);
    for (let turns = 0; turns < 200; turns++) await turn();
  }
  proceed();
  expect(await Promise.all(waiting)).toEqual([200, 200]);
});

test('at the limit of connections, one that does not read its answer makes room; one that waits for it does not', async () => {
  const answers = new Map<string, () => void>();
  const server = createHttpServer(({ url = '' }, response) => {
    answers.set(url, () => response.end(Buffer.alloc(50_000_000)));
    if (url === '/now') response.end();
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  boundConnections(server, 2);
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  for (const path of ['/first', '/second']) {
    // Reads no more than fits into its buffers.
    connect(port, '127.0.0.1').write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    await expect.poll(() => answers.has(path)).toBe(true);
  }
  const ask = () => statusOf(`http://127.0.0.1:${port}/now`, { method: 'GET' });
  await expect(ask()).rejects.toThrow();
  answers.get('/second')?.();
  await expect.poll(() => sockets[1]?.writableLength).toBeGreaterThan(0);
  expect(await ask()).toBe(200);
  expect(sockets.slice(0, 2).map(({ destroyed }) => destroyed)).toEqual([false, true]);
});

test('what costs money reaches the upstream once, even if the connection breaks; what only reads is asked for again', async () => {
  const used = new WeakSet();
  const upstream = await runUpstream((request, response) => {
    if (used.has(request.socket)) return request.socket.destroy();
    used.add(request.socket);
    return response.end('{}');
  });
  const { url } = await runProxy(upstream.url);
  for (const [path, body] of [
    ['/v1/chat/completions', BODY],
    ['/v1/messages/count_tokens', BODY],
    ['/v1/responses/resp_1/cancel', ''],
  ] as const) {
    const agent = oneConnection();
    upstream.reached.length = 0;
    expect(await statusOf(url + path, { agent, body })).toBe(200);
    // The upstream may have begun to work when it hung up.
    expect(await statusOf(url + path, { agent, body })).toBe(502);
    expect(upstream.reached).toHaveLength(2);
    expect(await statusOf(`${url}/v1/models`, { agent, method: 'GET' })).toBe(200);
    expect(await statusOf(`${url}/v1/models`, { agent, method: 'GET' })).toBe(200);
  }
});

test('each connection of a client has its own upstream, which ends with it', async () => {
  const sockets = new Set<Socket>();
  const upstream = await runUpstream((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, { connection: 'keep-alive', 'keep-alive': 'timeout=600' }).end('{}');
  });
  upstream.server.keepAliveTimeout = 0;
  const { url } = await runProxy(upstream.url);
  const agent = oneConnection();
  for (let i = 0; i < 3; i++) expect(await statusOf(`${url}/v1/responses`, { agent })).toBe(200);
  expect(sockets.size).toBe(1);
  const others = [oneConnection(), oneConnection()];
  for (const other of others) expect(await statusOf(`${url}/v1/responses`, { agent: other })).toBe(200);
  expect(sockets.size).toBe(3);
  for (const client of [agent, ...others]) client.destroy();
  await expect.poll(() => [...sockets].every(({ destroyed }) => destroyed)).toBe(true);
});

test.each([
  ['4 seconds if the upstream does not say', undefined, 3_900, 4_100],
  ['as long as the upstream says, but for 2 seconds', 'timeout=60', 57_900, 58_100],
])('an idle connection is used again for %s, even if the machine slept', async (_, hint, fresh, stale) => {
  const sockets = new Set<Socket>();
  const upstream = await runUpstream((request, response) => {
    sockets.add(request.socket);
    response.setHeader('connection', 'keep-alive');
    if (hint !== undefined) response.setHeader('keep-alive', hint);
    response.end('{}');
  });
  const { url } = await runProxy(upstream.url);
  const agent = oneConnection();
  onTestFinished(() => void vi.restoreAllMocks());
  let now = Date.now();
  const used: number[] = [];
  for (const idle of [0, fresh, stale, fresh]) {
    now += idle;
    vi.spyOn(Date, 'now').mockReturnValue(now);
    expect(await statusOf(`${url}/v1/responses`, { agent })).toBe(200);
    used.push(sockets.size);
  }
  expect(used).toEqual([1, 1, 2, 2]);
});

test('an upstream with TLS is reached, its connection is used again, and a certificate that nobody vouches for is refused', async ({
  skip,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = spawnSync('openssl', [
    ...[
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/CN=localhost',
    ],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', keyFile, '-out', certFile],
  ]);
  if (made.status !== 0) return skip('there is no openssl to make a certificate');
  const [key, cert] = [readFileSync(keyFile, 'utf8'), readFileSync(certFile, 'utf8')];
  let connections = 0;
  const sizes: number[] = [];
  const upstream = createTlsServer({ key, cert }, async (request, response) => {
    sizes.push((await bytesOf(request)).length);
    // An interim answer, which nobody asked for.
    response.writeContinue();
    response.end('{}');
  }).on('secureConnection', () => connections++);
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void upstream.close());
  const { url, events } = await runProxy(`https://127.0.0.1:${(upstream.address() as { port: number }).port}`);
  expect(await statusOf(`${url}/v1/responses`)).toBe(502);
  expect(events).toMatchObject([{ message: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') }]);
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, cert]);
  onTestFinished(() => setDefaultCACertificates(usual));
  const agent = oneConnection();
  const body = JSON.stringify({ model: 'gpt-6-sol', input: [{ role: 'user', content: 'x'.repeat(1_000_000) }] });
  for (const path of ['/v1/responses', '/v1/files', '/v1/responses'])
    expect(await statusOf(url + path, { agent, body })).toBe(200);
  expect(sizes).toEqual(Array(3).fill(body.length));
  expect(connections).toBe(1);
});

test('another machine is reached through the HTTP proxy of the environment, this one directly', async () => {
  const upstream = await runUpstream();
  const gateway = await runUpstream();
  const tunnels: string[] = [];
  gateway.server.on('connect', (request: IncomingMessage, socket: Socket) => {
    tunnels.push(`${request.url}`);
    const to = connect(Number(new URL(upstream.url).port), '127.0.0.1');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    pipeline(socket, to, socket, () => {});
  });
  vi.stubEnv('http_proxy', gateway.url);
  vi.stubEnv('no_proxy', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { url } = await runProxy(upstream.url, {
    upstreams: { anthropic: 'http://api.invalid', openai: upstream.url },
  });
  for (const path of ['/v1/messages', '/v1/responses']) expect(await statusOf(url + path)).toBe(200);
  expect(upstream.reached.map(({ headers }) => headers.host)).toEqual(['api.invalid', new URL(upstream.url).host]);
  expect(tunnels).toEqual(['api.invalid:80']);
});

test('requests that came together are not sent after their client has left', async () => {
  const upstream = await runUpstream();
  let proceed = () => {};
  const opened = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const store = { list: () => opened.then(() => []), info: async () => undefined } as unknown as SessionStore;
  const { url, port, proxy } = await runProxy(upstream.url, { store });
  const turns = ['user', 'assistant', 'user'].map((role) => ({ role, content: role }));
  const body = JSON.stringify({ model: 'gpt-6-sol', messages: turns });
  const { host } = new URL(url);
  const asked = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(port, '127.0.0.1');
  socket.write(asked.repeat(4));
  await expect.poll(() => proxy.status().active).toBe(4);
  socket.destroy();
  // Once a later connection is served, the proxy knows that the first is gone.
  await fetch(`${url}/holdfast/status`);
  proceed();
  await expect.poll(() => proxy.status().active).toBe(0);
  expect(upstream.reached).toEqual([]);
});

test('a connection that the upstream closed while it was idle fails no request', async () => {
  const upstream = await runUpstream();
  const closed: Promise<unknown>[] = [];
  upstream.server.on('connection', (socket: Socket) => closed.push(once(socket, 'close')));
  const { url, events } = await runProxy(upstream.url);
  const agent = oneConnection();
  for (let i = 0; i < 5; i++) {
    expect(await statusOf(`${url}/v1/responses`, { agent })).toBe(200);
    upstream.server.closeIdleConnections();
    await closed[i];
  }
  expect(closed).toHaveLength(5);
  expect(events).toEqual([]);
});

test.each([
  ['100 Continue', 1],
  ['103 Early Hints\r\nlink: </style.css>', 1],
  ['100 Continue', 3],
])('an interim answer is skipped, in whatever pieces it comes: %s, %i times', async (interim, times) => {
  const body = 'HTTP/1.1 100 Continue\r\n\r\n is only text here';
  const answer = `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const sent = `HTTP/1.1 ${interim}\r\n\r\n`.repeat(times) + answer;
  let pieces = [sent];
  const upstream = createServer((socket) => {
    socket.setNoDelay();
    socket.on('error', () => {});
    socket.on('data', async (chunk) => {
      if (!String(chunk).endsWith(BODY)) return;
      for (const piece of pieces) {
        socket.write(piece);
        await turn();
      }
    });
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const agent = oneConnection();
  const { url } = await runProxy(`http://127.0.0.1:${(upstream.address() as { port: number }).port}`);
  onTestFinished(() => void upstream.close());
  for (const size of [sent.length, 1, 7]) {
    pieces = sent.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const request = httpRequest(`${url}/v1/responses`, { agent, method: 'POST' }).end(BODY);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect([response.statusCode, (await bytesOf(response)).toString()]).toEqual([200, body]);
  }
});
