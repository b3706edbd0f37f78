import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RequestProblem } from './problem.ts';

/** Time to read the answer before the connection is destroyed: closing one with unread input would discard the answer. */
const LINGER_MS = 2_000;
/** File descriptors for other purposes. No measurement supports it; an idle server has about 30. */
const OTHERS = 64;
const LEAST = 16;
/** Used if the system has no limit. */
const MOST = 10_000;

/** Connections that this process has file descriptors for, each with another one to a model. */
export function maxConnections(): number {
  // With the network part, the report would look up the names of all connections.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft ?? Number.NaN);
  const limit = Number.isFinite(soft) ? soft : 2 * MOST;
  return Math.min(MOST, Math.max(LEAST, Math.floor((limit - OTHERS) / 2)));
}

/** Destroys a connection soon after its last answer, unless `isFine` by then. */
function endSoon(socket: Duplex, isFine: () => boolean = () => false): void {
  setTimeout(() => {
    if (!isFine()) socket.destroy();
  }, LINGER_MS).unref();
}

/**
 * Limits the number of connections. A new one replaces the oldest without a request, else the oldest whose body is
 * incomplete, else the oldest that does not read its answer; if there is none, the new one is refused. Also destroys
 * connections whose request was answered but never completes.
 */
export function boundConnections(server: Pick<Server, 'on'>, max: number): void {
  const waiting = new Set<Socket>();
  const asking = new Map<Socket, IncomingMessage>();
  const oldest = (socket: Socket) => {
    const [idle] = waiting;
    if (idle !== undefined && idle !== socket) return idle;
    for (const [slow, request] of asking) if (!request.complete) return slow;
    for (const [slow] of asking) if (slow.writableLength > 0) return slow;
    return socket;
  };
  server.on('connection', (socket: Socket) => {
    waiting.add(socket);
    socket.once('close', () => {
      waiting.delete(socket);
      asking.delete(socket);
    });
    if (waiting.size + asking.size <= max) return;
    const ended = oldest(socket);
    waiting.delete(ended);
    asking.delete(ended);
    ended.destroy();
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    waiting.delete(socket);
    asking.set(socket, request);
    response.once('close', () => {
      if (!request.complete) endSoon(socket, () => request.complete);
      if (asking.get(socket) !== request || !asking.delete(socket)) return;
      if (!socket.destroyed) waiting.add(socket);
    });
  });
}

/**
 * Disconnects clients that read nothing of their answer for this long. Slow readers stay: Node notices progress in steps of
 * about a megabyte.
 */
export function endSlowReaders(server: Pick<Server, 'on' | 'setTimeout'>, writeMs: number): void {
  const answering = new WeakMap<Socket, number>();
  const add = (socket: Socket, count: number) => answering.set(socket, (answering.get(socket) ?? 0) + count);
  server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) => {
    add(socket, 1);
    response.once('close', () => add(socket, -1));
  });
  server.setTimeout(writeMs, (socket: Socket) => {
    // While the answer is being computed, there is nothing to read.
    if (socket.writableLength > 0 || !answering.get(socket)) socket.destroy();
  });
}

/** Answers requests that never reach a route with a problem. */
export function refuseBroken(server: Pick<Server, 'on'>): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    refuse(socket, problemFor(error.code));
  });
  // Tunnels, which Node accepts silently.
  server.on('connect', (_: unknown, socket: Duplex) => {
    socket.on('error', () => {});
    refuse(socket, new RequestProblem(405, 'this is not a proxy', { headers: { allow: 'GET, HEAD, POST, DELETE' } }));
  });
  server.on('checkExpectation', (_: unknown, response: ServerResponse) => {
    const { body } = new RequestProblem(417, 'only "expect: 100-continue" is supported: remove the header');
    response.writeHead(body.status, { 'content-type': 'application/problem+json', connection: 'close' });
    response.end(JSON.stringify(body));
  });
}

function refuse(socket: Duplex, { body, headers }: RequestProblem): void {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${body.status} ${body.title}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(text)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
  // The client may never close the connection.
  endSoon(socket);
}

function problemFor(code: string | undefined): RequestProblem {
  if (code === 'HPE_HEADER_OVERFLOW') return new RequestProblem(431, 'the headers are too long');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestProblem(408, 'the request arrived too slowly');
  return new RequestProblem(400, 'not a valid HTTP/1.1 request');
}
