import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endSoon } from '@holdfast/proxy/connections';
import { RequestProblem } from './problem.ts';

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
