import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Exchange, serveFolded } from './fold/serve-folded.ts';
import { type Refusal, Refused, refuse } from './http/api-error.ts';
import { guard, NOT_A_PATH } from './http/guard.ts';
import type { Parts } from './parts.ts';
import { pathOf, type Route, routeOf } from './routes.ts';
import type { ProxyStatus } from './status.ts';
import { relay } from './upstream/relay.ts';
import { outgoing } from './upstream/send.ts';

/** Serves one request. Never rejects. */
export async function serve(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  // Every failure of these ends in 'close', where requests are aborted.
  request.on('error', () => {});
  response.on('error', () => {});
  const route = routeOf(request);
  // A request that has ended may lose it.
  const { socket: client } = request;
  try {
    // Other pages are for programs only.
    if (parts.inspect && /^\/inspect(?:\/|$)/.test(pathOf(request.url ?? '/')))
      return await parts.inspect(request, response);
    const refusal = guard(request, parts.port()) ?? unserved(request, parts);
    if (refusal) throw new Refused(refusal);
    if (!(await servePage(request, response, parts))) await serveCounted({ request, response, client, parts }, route);
  } catch (error) {
    if (response.headersSent || client.destroyed) response.destroy();
    else {
      const refusal: Refusal =
        error instanceof Refused ? error.refusal : { status: 500, message: `internal error: ${error}` };
      const { status, message, upstream } = refusal;
      parts.onEvent(
        upstream ? { type: 'upstream-fail', upstream, message } : { type: 'request-refuse', status, message },
      );
      refuse(request, response, route.vendor, refusal);
    }
  }
}

/** Answers CONNECT, with which clients of an HTTP proxy begin. */
export function refuseTunnel(socket: Duplex, { onEvent }: Parts): void {
  const { status, message } = NOT_A_PATH;
  onEvent({ type: 'request-refuse', status, message });
  socket.on('error', () => {});
  const text = `HTTP/1.1 ${status} Bad Request\r\nconnection: close\r\n\r\nholdfast proxy: ${message}\n`;
  // A client may leave its end open, and closing the proxy would wait for it.
  socket.end(text, () => socket.destroy());
}

function unserved({ headers }: IncomingMessage, { active, limits }: Parts): Refusal | undefined {
  if (/^websocket$/i.test(headers.upgrade ?? '')) {
    const advice = { upgrade: 'HTTP/1.1', connection: 'close' };
    return { status: 426, message: 'WebSockets are not supported; use HTTP', headers: advice };
  }
  if (active.requests < limits.requests) return undefined;
  const message = `${limits.requests} requests are running; try again`;
  return { status: 503, message, headers: { 'retry-after': '1' } };
}

/** Answers the proxy's own paths. Resolves to false for all others. */
async function servePage(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<boolean> {
  const path = pathOf(request.url ?? '/');
  const show = (type: string, text: string) => {
    request.resume();
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
    return true;
  };
  if (path === '/holdfast/status')
    return show('application/json', `${JSON.stringify(publicStatus(parts.status()), undefined, 2)}\n`);
  if (path === '/metrics') return show(parts.metrics.contentType, await parts.metrics.text());
  if (path !== '/mcp' || !parts.mcp) return false;
  await parts.mcp(request, response);
  return true;
}

/** The status for everyone on this machine: with a conversation's whole id, its text could be recalled. */
function publicStatus({ conversations, ...rest }: ProxyStatus): ProxyStatus {
  const shortened = conversations.map((one) => ({ ...one, conversation: one.conversation.slice(0, SHOWN_ID) }));
  return { ...rest, conversations: shortened };
}

const SHOWN_ID = 5;

async function serveCounted(asked: Omit<Exchange, 'vendor' | 'signal'>, { vendor, folded }: Route): Promise<void> {
  const { response, parts } = asked;
  parts.active.requests++;
  const exchange = { ...asked, vendor, signal: hungUp(response) };
  try {
    await (folded ? serveFolded(exchange, folded) : pass(exchange));
  } finally {
    parts.active.requests--;
  }
}

/** Aborts when the client disconnects before its answer is complete. */
function hungUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Passes a request on as it came, both ways as streams. */
async function pass(exchange: Exchange): Promise<void> {
  const { request, vendor, parts } = exchange;
  const { headers } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const sent = hasBody ? { ...outgoing(exchange), body: request } : outgoing(exchange, 'content-length');
  await relay(await parts.sender.send(vendor, sent), exchange);
}
