import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';
import { resultSchemas, type Schemas } from './schemas.ts';

/** The description of the API: the schemas that check requests are those that stand in it. */
export function describeApi(app: OpenAPIHono, schemas: Schemas): unknown {
  const { result, problem, info } = resultSchemas(schemas);
  const refused = {
    description: 'What is wrong, and which field',
    content: { 'application/problem+json': { schema: problem } },
  };
  const json = (schema: z.ZodType, description: string) => ({
    description,
    content: { 'application/json': { schema } },
  });
  const add = (route: Omit<RouteConfig, 'responses'>, ok: RouteConfig['responses']) =>
    app.openAPIRegistry.registerPath({ ...route, responses: { ...ok, '4XX': refused, '5XX': refused } } as RouteConfig);
  const body = (schema: z.ZodType) => ({ body: { required: true, content: { 'application/json': { schema } } } });
  const id = z.object({ id: schemas.session });
  const page = z.object({ from: z.coerce.number().optional(), limit: z.coerce.number().optional() });

  add({ method: 'post', path: '/api/crew', request: body(schemas.request) }, { 200: json(result, 'What came of it') });
  add(
    { method: 'post', path: '/api/crew/stream', request: body(schemas.request) },
    {
      200: {
        description: 'Events as they happen; `result` is the last',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    },
  );
  add({ method: 'get', path: '/api/crew' }, { 200: json(z.object({ entry: z.string() }), 'The crew') });
  add(
    { method: 'get', path: '/api/sessions' },
    { 200: json(z.object({ sessions: z.array(info) }), 'Sessions, the last used first') },
  );
  add(
    { method: 'post', path: '/api/sessions', request: body(schemas.newSession) },
    { 201: json(info, 'A new session') },
  );
  add(
    { method: 'get', path: '/api/sessions/{id}', request: { params: id } },
    { 200: json(info, 'A session, and whose turn it is') },
  );
  add(
    { method: 'get', path: '/api/sessions/{id}/messages', request: { params: id, query: page } },
    {
      200: json(
        z.object({ messages: z.array(z.object({ index: z.number(), message: schemas.message })) }),
        'Its messages',
      ),
    },
  );
  for (const path of ['/health', '/ready'])
    add({ method: 'get', path }, { 200: json(z.object({ status: z.string() }), 'It is well') });
  add(
    { method: 'get', path: '/metrics' },
    { 200: { description: 'For Prometheus', content: { 'text/plain': { schema: z.string() } } } },
  );
  return app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'holdfast serve', version: '1' } });
}
