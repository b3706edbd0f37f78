import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';
import { countUpTo, LAST_EVENT_ID, type Schemas } from './input-schemas.ts';
import { ANSWER, CREW, EVENTS, eventName, MESSAGE, PROBLEM, SESSION, SESSION_AND_TURN } from './output-schemas.ts';

/** Why a request is refused; the first three apply to every path. */
const REFUSALS = {
  403: 'The request comes from a page of another site',
  421: 'The request is for another host: without HOLDFAST_SERVE_TOKEN this server only answers to localhost',
  500: 'Unexpected error; see the server log',
  400: 'A field, parameter or header is invalid: `errors` names it',
  401: 'The token is missing or wrong',
  404: 'There is no such session',
  408: 'The body arrives too slowly: after 30 s it must arrive at 100 kB/s',
  409: 'The session is busy, waits for the user, already exists, or does not belong to a crew',
  410: 'The request is unknown or forgotten or, if it is to be cancelled, already over',
  413: 'The body is larger than the server accepts: `detail` has the limit and advice',
  415: 'The body is not application/json, or has a content-encoding',
  429: 'Too many requests from this address: `retry-after` says when to try again',
  503: 'The server is busy, out of memory for requests, or shutting down, or the store does not respond',
} as const;
type Refusal = keyof typeof REFUSALS;

/** Upper limits for query parameters. */
export const MOST = { sessions: 500, messages: 500, from: 1e9 - 1 } as const;

/** Paths that need no token. */
const OPEN: readonly string[] = ['/', '/health', '/ready'];

type Add = (
  at: string,
  summary: string,
  responses: RouteConfig['responses'],
  refusals?: readonly Refusal[],
  request?: RouteConfig['request'],
) => void;

/** The OpenAPI description, made of the schemas that check requests and those that answers and events must match. */
export function describeApi(app: OpenAPIHono, schemas: Schemas): unknown {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  const refused = (status: Refusal) => ({
    description: REFUSALS[status],
    content: { 'application/problem+json': { schema: PROBLEM } },
    ...(status === 429 ? { headers: { 'retry-after': { schema: { type: 'integer' } } } } : {}),
    ...(status === 401 ? { headers: { 'www-authenticate': { schema: { type: 'string' } } } } : {}),
  });
  const add: Add = (at, summary, responses, refusals = [], request) => {
    const [method = '', path = ''] = at.split(' ');
    const isOpen = OPEN.includes(path);
    const all: readonly Refusal[] = [403, 421, 500, ...(isOpen ? [] : ([401] as const)), ...refusals];
    app.openAPIRegistry.registerPath({
      method: method.toLowerCase() as 'get',
      path,
      summary,
      ...(request ? { request } : {}),
      ...(isOpen ? {} : { security: [{ bearer: [] }] }),
      responses: { ...responses, ...Object.fromEntries(all.map((status) => [status, refused(status)])) },
    } as RouteConfig);
  };
  addCrew(add, schemas);
  addSessions(add, schemas);
  const status = z.object({ status: z.string() });
  add('GET /health', 'Whether the server is running', { 200: json(status) });
  add('GET /ready', 'Whether it accepts requests', { 200: json(status.extend({ active: z.number() })) }, [503]);
  add('GET /metrics', 'Prometheus metrics', { 200: content('text/plain', z.string()) });
  add('GET /openapi.json', 'This description', { 200: json(z.record(z.string(), z.unknown())) });
  add('GET /', 'A page to talk to the crew', { 200: content('text/html', z.string()) });
  const description =
    'A crew of agents. A wrong method gets 405 with `allow`; every refused request gets a problem (RFC 9457).';
  return app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'holdfast serve', version: '1', description } });
}

const content = (type: string, schema: z.ZodType, description = 'Done') => ({
  description,
  content: { [type]: { schema } },
});
const json = (schema: z.ZodType, description?: string) => content('application/json', schema, description);
const bodyOf = (schema: z.ZodType) => ({ required: true, content: { 'application/json': { schema } } });

function addCrew(add: Add, { request }: Schemas): void {
  const events = Object.entries(EVENTS).map(([type, schema]) => schema.openapi(eventName(type)));
  const event = z.union(events as [z.ZodType, z.ZodType, ...z.ZodType[]]).openapi('CrewEvent');
  const stream = content(
    'text/event-stream',
    event,
    'Each `data` is one of these events, with its type as `event` and an `id`; `result` is the last. An `id` without an event comes first, for cancelling. If the server fails, the last is an `event: problem` with a Problem.',
  );
  const body = bodyOf(request);
  const from = (id: z.ZodType) => z.object({ 'last-event-id': id });
  const path = '/api/crew/stream';
  add('GET /api/crew', 'The crew', { 200: json(CREW) });
  add('POST /api/crew', 'Asks the crew', { 200: json(ANSWER) }, [400, 404, 408, 409, 413, 415, 429, 503], { body });
  add(
    `POST ${path}`,
    'Asks the crew and streams events; with last-event-id, resumes an interrupted stream',
    { 200: stream },
    [400, 404, 408, 409, 410, 413, 415, 429, 503],
    { body, headers: from(LAST_EVENT_ID.optional()) },
  );
  const headers = from(LAST_EVENT_ID);
  add(`GET ${path}`, 'Resumes an interrupted stream', { 200: stream }, [400, 410], { headers });
  const cancelled = { 202: { description: 'The request is being cancelled' } };
  add(`DELETE ${path}`, 'Cancels the request of a stream; its readers get the result', cancelled, [400, 410], {
    headers,
  });
}

function addSessions(add: Add, { session, newSession }: Schemas): void {
  const path = '/api/sessions';
  const params = z.object({ id: session });
  const sessions = json(z.object({ sessions: z.array(SESSION) }));
  const query = z.object({ limit: countUpTo(MOST.sessions).optional() });
  add(`GET ${path}`, 'Sessions, newest first', { 200: sessions }, [400, 503], { query });
  const created = { 201: json(SESSION, 'Created') };
  add(`POST ${path}`, 'Creates a session', created, [400, 408, 409, 413, 415, 429, 503], { body: bodyOf(newSession) });
  const refusals = [400, 404, 409, 503] as const;
  add(`GET ${path}/{id}`, 'A session, and who acts next', { 200: json(SESSION_AND_TURN) }, refusals, { params });
  const page = z.object({ from: countUpTo(MOST.from).optional(), limit: countUpTo(MOST.messages).optional() });
  const messages = z.array(z.object({ index: z.number(), message: MESSAGE }));
  add(
    `GET ${path}/{id}/messages`,
    'Messages of a session; `next` is the `from` of the next page',
    { 200: json(z.object({ messages, next: z.number().optional() })) },
    refusals,
    { params, query: page },
  );
}
