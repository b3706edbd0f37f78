import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';
import { EVENTS, eventName } from './event-schemas.ts';
import { ANSWER, CREW, MESSAGE, PROBLEM, SESSION, SESSION_AND_TURN } from './result-schemas.ts';
import { countUpTo, LAST_EVENT_ID, type Schemas } from './schemas.ts';

/** Why a request is refused; what every path may answer stands first. */
const REFUSALS = {
  403: 'A page of another site asks',
  421: 'Another host was meant: without a token this server answers to localhost alone',
  500: 'Not foreseen; the log says more',
  400: 'A field, a parameter or a header is wrong: `errors` names it',
  401: 'The token is missing or wrong',
  404: 'There is no such session',
  408: 'The body comes too slowly: 100 kB a second are asked for once 30 s have passed',
  409: 'The session is busy, waits for the user, is there already, or is no crew’s',
  410: 'The request is unknown, over and forgotten, or, where it is to be cancelled, over',
  413: 'The body has more bytes than the server takes: `detail` says how many, and what to do',
  415: 'The body is not application/json, or has a content-encoding',
  429: 'Too many requests of this address: `retry-after` says when to come again',
  503: 'No room for another request or for so many bytes, about to end, or the store does not answer',
} as const;
type Refusal = keyof typeof REFUSALS;

/** The most that a query may ask for. */
export const MOST = { sessions: 500, messages: 500, from: 1e9 - 1 } as const;

/** The description of the API: the schemas that check requests, and those that answers and events must meet. */
export function describeApi(app: OpenAPIHono, schemas: Schemas, asksToken: boolean): unknown {
  if (asksToken) app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
  const refused = (status: Refusal) => ({
    description: REFUSALS[status],
    content: { 'application/problem+json': { schema: PROBLEM } },
    ...(status === 429 ? { headers: { 'retry-after': { schema: { type: 'integer' } } } } : {}),
    ...(status === 401 ? { headers: { 'www-authenticate': { schema: { type: 'string' } } } } : {}),
  });
  const add = (at: string, about: Described, ...refusals: readonly Refusal[]) => {
    const [method = '', path = ''] = at.split(' ');
    const isOpen = OPEN.includes(path);
    const all: readonly Refusal[] = [403, 421, 500, ...(asksToken && !isOpen ? ([401] as const) : []), ...refusals];
    app.openAPIRegistry.registerPath({
      method: method.toLowerCase() as 'get',
      path,
      summary: about.summary,
      ...(about.request ? { request: about.request } : {}),
      ...(asksToken && !isOpen ? { security: [{ bearer: [] }] } : {}),
      responses: { ...about.responses, ...Object.fromEntries(all.map((status) => [status, refused(status)])) },
    } as RouteConfig);
  };
  addCrew(add, schemas);
  addSessions(add, schemas);
  add('GET /health', { summary: 'It lives', responses: { 200: json(STATUS) } });
  const ready = STATUS.extend({ active: z.number() });
  add('GET /ready', { summary: 'It takes requests', responses: { 200: json(ready) } }, 503);
  add('GET /metrics', { summary: 'For Prometheus', responses: { 200: content('text/plain', z.string()) } });
  const self = content('application/json', z.record(z.string(), z.unknown()));
  add('GET /openapi.json', { summary: 'This description', responses: { 200: self } });
  add('GET /', { summary: 'A page to talk to the crew', responses: { 200: content('text/html', z.string()) } });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'holdfast serve',
      version: '1',
      description:
        'A crew of agents. A wrong method is answered with 405 and `allow`; all that is refused is a problem of RFC 9457.',
    },
  });
}

/** Paths that no token is asked for. */
const OPEN: readonly string[] = ['/', '/health', '/ready'];
const STATUS = z.object({ status: z.string() });

interface Described {
  readonly summary: string;
  readonly request?: NonNullable<RouteConfig['request']>;
  readonly responses: RouteConfig['responses'];
}
type Add = (at: string, about: Described, ...refusals: readonly Refusal[]) => void;

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
    'Each `data` is one of these events, with its type as `event` and an `id`; `result` is the last. First comes an `id` without an event, to cancel by. Where the server fails, the last is an `event: problem` with a Problem.',
  );
  add('GET /api/crew', { summary: 'The crew', responses: { 200: json(CREW) } });
  add(
    'POST /api/crew',
    { summary: 'Asks the crew', request: { body: bodyOf(request) }, responses: { 200: json(ANSWER) } },
    ...([400, 404, 408, 409, 413, 415, 429, 503] as const),
  );
  const from = (id: z.ZodType) => z.object({ 'last-event-id': id });
  add(
    'POST /api/crew/stream',
    {
      summary: 'Asks the crew, event by event; with last-event-id, goes on with a stream that was cut off',
      request: { body: bodyOf(request), headers: from(LAST_EVENT_ID.optional()) },
      responses: { 200: stream },
    },
    ...([400, 404, 408, 409, 410, 413, 415, 429, 503] as const),
  );
  add(
    'GET /api/crew/stream',
    {
      summary: 'Goes on with a stream that was cut off',
      request: { headers: from(LAST_EVENT_ID) },
      responses: { 200: stream },
    },
    400,
    410,
  );
  add(
    'DELETE /api/crew/stream',
    {
      summary: 'Cancels the request of a stream at once; its readers get the result',
      request: { headers: from(LAST_EVENT_ID) },
      responses: { 202: { description: 'It is told to end' } },
    },
    400,
    410,
  );
}

function addSessions(add: Add, { session, newSession }: Schemas): void {
  const params = z.object({ id: session });
  const query = z.object({ limit: countUpTo(MOST.sessions).optional() });
  add(
    'GET /api/sessions',
    {
      summary: 'Sessions, the last used first',
      request: { query },
      responses: { 200: json(z.object({ sessions: z.array(SESSION) })) },
    },
    400,
    503,
  );
  add(
    'POST /api/sessions',
    { summary: 'Makes a session', request: { body: bodyOf(newSession) }, responses: { 201: json(SESSION, 'Made') } },
    ...([400, 408, 409, 413, 415, 429, 503] as const),
  );
  add(
    'GET /api/sessions/{id}',
    {
      summary: 'A session, and whose turn it is',
      request: { params },
      responses: { 200: json(SESSION_AND_TURN) },
    },
    ...([400, 404, 409, 503] as const),
  );
  const page = z.object({ from: countUpTo(MOST.from).optional(), limit: countUpTo(MOST.messages).optional() });
  const messages = z.array(z.object({ index: z.number(), message: MESSAGE }));
  add(
    'GET /api/sessions/{id}/messages',
    {
      summary: 'Its messages; `next` is the `from` of the next page',
      request: { params, query: page },
      responses: { 200: json(z.object({ messages, next: z.number().optional() })) },
    },
    ...([400, 404, 409, 503] as const),
  );
}
