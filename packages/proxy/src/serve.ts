import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, refuse, type Vendor } from './http/api-error.ts';
import { guard } from './http/guard.ts';
import { forwarded } from './http/headers.ts';
import type { Parts } from './parts.ts';
import { pathOf, type Route, routeOf } from './routes.ts';
import { relay } from './upstream/relay.ts';
import type { Answer, Outgoing } from './upstream/send.ts';

/** Serves one request. Never rejects. */
export async function serve(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  // Every failure of these ends in 'close', where requests are aborted.
  request.on('error', () => {});
  response.on('error', () => {});
  const route = routeOf(request);
  const refusal = guard(request, parts.port()) ?? unserved(request, parts);
  try {
    if (refusal) refuseRequest(request, response, route, refusal, parts);
    else if (!(await servePage(request, response, parts)))
      await counted(() => pass(request, response, route, parts), parts);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else
      refuseRequest(
        request,
        response,
        route,
        { status: 502, message: error instanceof Error ? error.message : String(error) },
        parts,
      );
  }
}

function unserved({ headers }: IncomingMessage, { active, limits }: Parts): Refusal | undefined {
  if (/^websocket$/i.test(headers.upgrade ?? ''))
    return {
      status: 426,
      message: 'WebSockets are not supported; use HTTP',
      headers: { upgrade: 'HTTP/1.1', connection: 'close' },
    };
  if (active.requests >= limits.requests)
    return {
      status: 503,
      message: `${limits.requests} requests are running; try again`,
      headers: { 'retry-after': '1' },
    };
  return undefined;
}

function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { vendor }: Route,
  refusal: Refusal,
  { onEvent }: Parts,
) {
  const { status, message } = refusal;
  onEvent({ type: 'request-refuse', status, message });
  refuse(request, response, vendor, refusal);
}

/** Answers the proxy's own paths. Resolves to false for all others. */
async function servePage(request: IncomingMessage, response: ServerResponse, { status, mcp }: Parts): Promise<boolean> {
  const path = pathOf(request.url ?? '/');
  if (path === '/mcp' && mcp) {
    await mcp(request, response);
    return true;
  }
  if (path !== '/holdfast/status') return false;
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(status(), undefined, 2)}\n`);
  return true;
}

async function counted(work: () => Promise<void>, { active }: Parts): Promise<void> {
  active.requests++;
  try {
    await work();
  } finally {
    active.requests--;
  }
}

/** Passes a request on as it came, both ways as streams. */
async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { vendor }: Route,
  parts: Parts,
): Promise<void> {
  const { headers, method = 'GET', url: path = '/' } = request;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const dropped = ['host', 'expect', ...(hasBody ? [] : ['content-length'])];
  const outgoing = { method, path, headers: forwarded(request.rawHeaders, ...dropped), signal: hungUp(response) };
  const answer = await sendTo(vendor, hasBody ? { ...outgoing, body: request } : outgoing, parts);
  await relay(answer, response);
}

/** Rejects with a Refused for a client whose upstream failed. */
async function sendTo(vendor: Vendor, outgoing: Outgoing, { sender, upstreams, onEvent }: Parts): Promise<Answer> {
  try {
    return await sender.send(upstreams[vendor], outgoing);
  } catch (error) {
    const message = `${upstreams[vendor].origin} did not answer (${reasonOf(error)}); check the upstream and your network, then retry`;
    if (!outgoing.signal.aborted) onEvent({ type: 'upstream-fail', upstream: vendor, message });
    throw new Error(message, { cause: error });
  }
}

/** Aborts when the client disconnects before its answer is complete. */
function hungUp(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === 'string' ? code : String(message);
}
