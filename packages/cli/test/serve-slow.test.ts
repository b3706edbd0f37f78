import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { firstLine } from '../../../scripts/first-line.ts';
import { BIN, COMPILE_CACHE, folderWith } from './holdfast.ts';
import { type Serving, serving, TOKEN } from './serving.ts';

/** More clients than the server has descriptors. */
const DESCRIPTORS = 256;
const CLIENTS = 300;

let served: Serving;
beforeAll(async () => {
  const crew = { entry: 'a', agents: { a: { role: 'x' } } };
  served = await serving(undefined, { crew, headersMs: 200, bodyMs: 200 });
});
afterAll(() => served.close());

/** A client that sends this and then keeps its side open, whatever the server answers. */
function clinging(url: string, text: string): Socket {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {}).setEncoding('latin1');
  socket.write(text);
  return socket;
}

const HEAD = `host: localhost\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n`;

test.each([
  ['a head that trickles', 'GET /health HTTP/1.1\r\nhost: local', 408],
  ['a body that trickles', `POST /api/crew HTTP/1.1\r\n${HEAD}\r\n{`, 408],
  ['what is not HTTP', 'hello\r\n\r\n', 400],
])('%s is answered, and its connection is gone', async (_, text, status) => {
  const socket = clinging(served.url, text);
  const [answer] = await once(socket, 'data');
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  // Only a connection that is gone refuses more bytes.
  const isGone = () => {
    socket.write('x');
    return socket.destroyed;
  };
  await expect.poll(isGone).toBe(true);
});

const SERVE = ['serve', 'crew.yml', '--port', '0', '--provider', 'stand-in'];

/** The real server, with as few descriptors as some systems allow. */
async function startSmall(args: readonly string[] = SERVE): Promise<string> {
  const child = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`, process.execPath, BIN, ...args], {
    cwd: folderWith({ 'crew.yml': 'entry: a\nagents:\n  a: { role: x }\n' }),
    env: {
      ...COMPILE_CACHE,
      PATH: process.env.PATH ?? '',
      HOME: `${folderWith()}-home`,
      HOLDFAST_TRUST: '1',
      HOLDFAST_SERVE_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await firstLine(child)) ?? [];
  return url;
}

test.each([
  ['heads', 'GET /health HTTP/1.1\r\nhost: local'],
  ['bodies', `POST /api/crew HTTP/1.1\r\n${HEAD}\r\n{`],
  ['nothing', ''],
])('/health answers while more clients than there are descriptors send %s slowly', async (_, text) => {
  const url = await startSmall();
  const sockets = Array.from({ length: CLIENTS }, () => clinging(url, text));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (let i = 0; i < 5; i++) {
    const answer = await fetch(`${url}/health`, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(60_000),
    });
    expect(await answer.json()).toEqual({ status: 'ok' });
  }
});

test.each([
  ['ui', ['ui', '--no-open', '--port', '0'], '/inspect/'],
  ['proxy', ['proxy', '--no-store', '--port', '0', '--json'], '/holdfast/status'],
])('%s answers, too, while more clients than there are descriptors say nothing', async (_, args, path) => {
  const url = await startSmall(args);
  const sockets = Array.from({ length: CLIENTS }, () => clinging(url, ''));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const answer = await fetch(url + path, { headers: { connection: 'close' }, signal: AbortSignal.timeout(60_000) });
  expect(answer.status).toBe(200);
});
