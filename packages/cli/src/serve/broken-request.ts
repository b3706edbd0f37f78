import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { endSoon } from './connections.ts';
import { RequestProblem } from './problem.ts';

/** Answers what is no request that a route could see with a problem, as routes do. */
export function refuseBroken(server: Pick<Server, 'on'>): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    refuse(socket, problemFor(error.code));
  });
  // A tunnel, which Node hands out without a word.
  server.on('connect', (_: unknown, socket: Duplex) => {
    socket.on('error', () => {});
    refuse(socket, new RequestProblem(405, 'this is no proxy', { headers: { allow: 'GET, HEAD, POST, DELETE' } }));
  });
  server.on('checkExpectation', (_: unknown, response: ServerResponse) => {
    const { body } = new RequestProblem(417, 'no expectation but 100-continue is met: leave out "expect"');
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
  // Its client may never close it.
  endSoon(socket);
}

function problemFor(code: string | undefined): RequestProblem {
  if (code === 'HPE_HEADER_OVERFLOW') return new RequestProblem(431, 'the headers are too long');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestProblem(408, 'the request took too long to come');
  return new RequestProblem(400, 'this is no request of HTTP/1.1');
}
