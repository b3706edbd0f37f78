import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SessionStore } from '@holdfast/sessions';
import { maskSecrets } from 'holdfast';
import { appResponse, HEADERS } from './api/app-response.ts';
import { COMPARED } from './api/change-routes.ts';
import { hasToken, isForeignSite, isLoopbackHost } from './api/guard.ts';
import { createParts, type Parts, type SessionOwner } from './api/parts.ts';
import { ApiProblem, problemOf, refusal } from './api/problem.ts';
import { answer } from './api/routes.ts';
import type { CrewSetup, ServerInfo } from './api/types.ts';
import { createComparisons } from './compare/comparisons.ts';
import type { ModelLookup } from './data/call-costs.ts';
import { createEventHub, type EventHub, type HubOptions } from './events/event-hub.ts';
import { serveNode } from './node-listener.ts';

export interface InspectorOptions extends Pick<HubOptions, 'pollMs' | 'heartbeatMs' | 'stallMs'> {
  /** Undefined if nothing is stored; `noStore` says why. */
  readonly store?: SessionStore;
  readonly noStore?: string;
  /** Where the store is, for people. */
  readonly storeName?: string;
  /** The command that serves it. */
  readonly host: ServerInfo['host'];
  readonly version: string;
  /** Every request to the API must have it. Without it, the API only reads. */
  readonly token?: string;
  /** Answers to any `Host`: for a server behind another, whose token protects it. */
  readonly anyHost?: boolean;
  /** Windows and prices of models; without it, "sending everything" has no cost. */
  readonly models?: ModelLookup;
  /** The crew that this process runs. */
  readonly crew?: CrewSetup;
  /** The sessions that this process works on. */
  readonly owner?: SessionOwner;
  /** True if all who used a session are known to have left: then it is not live, however new. */
  readonly hasLeft?: (session: string) => boolean;
  /** Gets what failed unexpectedly. */
  readonly log?: (line: string) => void;
}

/** The inspector's page and API, for any server. */
export interface Inspector {
  /** True for a path that it serves: `/inspect` and everything below it. */
  serves(path: string): boolean;
  /** Answers a request for such a path. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** The same for a `node:http` server. Never rejects. */
  listener(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends streams and comparisons. The store stays open. */
  close(): Promise<void>;
}

const BASE = '/inspect';
const API = `${BASE}/api`;

/** Makes an inspector over a store. It never sends a request to a model, and writes only what its owner undoes or redoes. */
export function createInspector(options: InspectorOptions): Inspector {
  const { store, log = () => {} } = options;
  const comparisons = createComparisons();
  const parts = store && createParts({ ...options, store, comparisons });
  const hub = parts && createEventHub(parts.store, { ...options, rows: parts.rows });
  const info = serverInfo(options);
  const fetch = async (request: Request): Promise<Response> => {
    const made = await respond(request, options, info, parts, hub).catch((error: unknown) => {
      const problem = problemOf(error);
      if (problem.status === 500) log(maskSecrets(`${request.method} ${request.url}: ${stackOf(error)}`));
      return refusal(problem);
    });
    for (const [name, value] of Object.entries(HEADERS)) made.headers.set(name, value);
    return made;
  };
  return {
    serves: (path) => path === BASE || path.startsWith(`${BASE}/`),
    fetch,
    listener: (request, response) => serveNode(fetch, request, response),
    async close() {
      hub?.close();
      await comparisons.close();
    },
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function serverInfo({ version, host, storeName, noStore, token, owner, crew }: InspectorOptions): ServerInfo {
  return {
    version,
    host,
    ...(storeName === undefined ? {} : { store: storeName }),
    ...(noStore === undefined ? {} : { noStore }),
    canChange: token !== undefined && owner !== undefined,
    policies: COMPARED,
    ...(crew ? { crew } : {}),
  };
}

async function respond(
  request: Request,
  options: InspectorOptions,
  info: ServerInfo,
  parts: Parts | undefined,
  hub: EventHub | undefined,
): Promise<Response> {
  const { pathname, searchParams: query } = new URL(request.url);
  const isApi = pathname === API || pathname.startsWith(`${API}/`);
  const header = (name: string) => request.headers.get(name) ?? undefined;
  if (!options.anyHost && !isLoopbackHost(header('host')))
    throw new ApiProblem(421, 'this server only answers to localhost');
  if (isForeignSite({ isPage: !isApi, header }))
    throw new ApiProblem(403, 'pages of other sites may not use this server');
  const { method } = request;
  if (!isApi) return pageResponse(pathname, method, header('if-none-match'));
  const { token } = options;
  if (token !== undefined && !hasToken({ header }, token))
    throw new ApiProblem(401, 'send the token of this server as "authorization: Bearer …"', {
      'www-authenticate': 'Bearer',
    });
  const isRead = method === 'GET' || method === 'HEAD';
  if (token === undefined && !isRead && /\/(?:undo|redo)$/.test(pathname))
    throw new ApiProblem(403, 'this server only reads: start it with a token to change something');
  const path = pathname
    .slice(API.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decoded);
  if (path.length === 1 && path[0] === 'info' && isRead) return json(info);
  if (!parts || !hub) throw new ApiProblem(404, options.noStore ?? 'nothing is stored here');
  if (path.length === 1 && path[0] === 'events' && isRead)
    return eventResponse(hub, method, query.get('session') ?? undefined);
  const { status = 200, json: body } = await answer(parts, { method, path, query, request });
  return body === undefined ? new Response(null, { status, headers: NO_STORE }) : json(body, status);
}

const NO_STORE = { 'cache-control': 'no-store' };

function json(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...NO_STORE } });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ApiProblem(400, 'the path is not properly encoded');
  }
}

function pageResponse(pathname: string, method: string, known: string | undefined): Response {
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiProblem(405, 'the page accepts GET, HEAD', { allow: 'GET, HEAD' });
  // Names of files in the page are relative to it.
  if (pathname === BASE) return new Response(null, { status: 308, headers: { location: `${BASE}/` } });
  const found = appResponse(pathname.slice(BASE.length + 1), known ?? null);
  if (!found) throw new ApiProblem(404, `no such file: the inspector is at ${BASE}/`);
  return found;
}

const EVENTS = { 'content-type': 'text/event-stream', ...NO_STORE, 'x-accel-buffering': 'no' };

function eventResponse(hub: EventHub, method: string, session: string | undefined): Response {
  // Nobody would read, or end, the stream of a HEAD request.
  const stream = method === 'HEAD' ? null : hub.open(session);
  if (stream === undefined) throw new ApiProblem(503, 'too many readers: close another page', { 'retry-after': '10' });
  return new Response(stream, { headers: EVENTS });
}
