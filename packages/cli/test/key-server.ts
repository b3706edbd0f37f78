import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStandIn, type Script, type StandIn } from '@holdfast/stand-in';
import { onTestFinished } from 'vitest';

/** A stand-in that accepts only one key, and remembers those it was sent. */
export interface KeyServer {
  readonly url: string;
  readonly standIn: StandIn;
  readonly sent: readonly string[];
}

/** Starts one for this test. */
export async function keyServer(key: string, script?: Script): Promise<KeyServer> {
  const standIn = await createStandIn({ keep_bodies: 1_000, ...(script ? { script } : {}) });
  const sent: string[] = [];
  const server: Server = createServer((arrived, response) => {
    const own = keyOf(arrived);
    sent.push(own);
    if (own !== key) {
      const error = { type: 'authentication_error', message: `invalid x-api-key ${own}` };
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error }));
      return;
    }
    const { method, url, headers } = arrived;
    const on = request(`${standIn.url}${url}`, { method: method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    arrived.pipe(on.on('error', () => response.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await standIn.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, standIn, sent };
}

function keyOf({ headers }: IncomingMessage): string {
  return String(headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '') ?? '');
}
