import { anthropicApi, type Tool } from '@holdfast/agent';
import { type CrewEvent, CrewExecutor, createCrewMetrics } from '@holdfast/crew';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../src/serve/api/app.ts';
import {
  ANSWER,
  CREW,
  EVENTS,
  eventName,
  PROBLEM,
  SESSION,
  SESSION_AND_TURN,
} from '../src/serve/api/output-schemas.ts';
import { createGate } from '../src/serve/guard/gate.ts';
import { InputValidator } from '../src/serve/guard/input-validator.ts';
import { createRuns } from '../src/serve/runs.ts';
import { ask, PAIR, readEvents, type Serving, serving, TOKEN } from './serving.ts';

interface Operation {
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, { schema: unknown }>> }>>;
}
interface Description {
  readonly openapi: string;
  readonly components: {
    readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly securitySchemes?: unknown;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let served: Serving;
let description: Description;
const described = async (url: string) => (await (await ask(`${url}/openapi.json`)).json()) as Description;
beforeAll(async () => {
  served = await serving();
  description = await described(served.url);
}, 120_000);
afterAll(() => served.close());

const operations = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, operation })),
  );

describe('the API description', () => {
  test('lists exactly the existing paths', async () => {
    const executor = new CrewExecutor(PAIR, { provider: () => anthropicApi({ api_key: 'x' }), tools: [LOOK] });
    const app = createApp({
      executor,
      store: served.store,
      validator: new InputValidator(),
      gate: createGate({ token: TOKEN, anyHost: false, rate: 0 }),
      inspector: { fetch: async () => new Response() },
      runs: createRuns({ maxConcurrent: 1, resumeMs: 1 }),
      metrics: await createCrewMetrics(),
      heartbeatMs: 1_000,
      bodyMs: 1_000,
      isReady: () => true,
      addressOf: () => '',
      log: () => {},
    });
    const routes = app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(
      operations(description)
        .map(({ at }) => at)
        .sort(),
    ).toEqual([...new Set(routes)].sort());
  });

  test('has the schemas that check requests, their limits, and the header that resumes a stream', () => {
    expect(description.openapi).toBe('3.1.0');
    expect(description.components.schemas.CrewRequest).toMatchObject({
      additionalProperties: false,
      properties: { input: { maxLength: 32_000 }, history: { maxItems: 1_000 } },
    });
    const header = (method: string) =>
      description.paths['/api/crew/stream']?.[method]?.parameters?.find(({ name }) => name === 'last-event-id');
    expect(header('get')).toMatchObject({ in: 'header', required: true, schema: { type: 'string' } });
    expect(header('post')).toMatchObject({ in: 'header', required: false });
    expect(description.paths['/api/sessions']?.get?.parameters).toMatchObject([
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 0, maximum: 500 } },
    ]);
  });

  test('lists the problems of each path', () => {
    for (const { operation } of operations(description)) {
      const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      for (const [, { content }] of refusals)
        expect(content).toEqual({ 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } });
    }
    const statuses = (path: string, method: string) => Object.keys(description.paths[path]?.[method]?.responses ?? {});
    expect(statuses('/api/crew', 'post').join()).toBe('200,400,401,403,404,408,409,413,415,421,429,500,503');
    expect(statuses('/api/crew/stream', 'get').join()).toBe('200,400,401,403,410,421,500');
    expect(statuses('/health', 'get').join()).toBe('200,403,421,500');
  });

  test('requires a token exactly where the server does', async () => {
    expect(description.components.securitySchemes).toEqual({ bearer: { type: 'http', scheme: 'bearer' } });
    for (const { at, operation } of operations(description)) {
      const [method, path = ''] = at.split(' ');
      const response = await fetch(served.url + path.replace('{id}', 'x'), { method: method ?? '' });
      expect([at, response.status === 401]).toEqual([at, operation.security !== undefined]);
      expect([at, operation.responses[401] !== undefined]).toEqual([at, operation.security !== undefined]);
      await response.body?.cancel();
    }
  });

  test('has a schema for each event of a stream', () => {
    const { schemas } = description.components;
    const names = Object.keys(EVENTS).map((type) => ({ $ref: `#/components/schemas/${eventName(type)}` }));
    expect(schemas.CrewEvent).toMatchObject({ anyOf: names });
    for (const type of Object.keys(EVENTS))
      expect(schemas[eventName(type)], type).toMatchObject({
        type: 'object',
        properties: { type: { enum: [type] } },
        required: expect.arrayContaining(['type']),
      });
    expect(description.paths['/api/crew/stream']?.post?.responses[200]?.content).toEqual({
      'text/event-stream': { schema: { $ref: '#/components/schemas/CrewEvent' } },
    });
  });
});

const LOOK: Tool = { name: 'look', description: 'Looks', input_schema: { type: 'object' }, run: () => 'seen' };

/** Goes through every event that there is. */
const ALL_EVENTS = {
  entry: 'lead',
  max_messages_per_request: 4,
  limits: { max_cost: 0.05 },
  provider: { model: 'claude-sonnet-5' },
  conversation: { max_tokens: 3_000 },
  agents: {
    lead: { role: 'Lead.', hand_offs: ['checks', 'clerk'] },
    cpu: { role: 'CPU.' },
    net: { role: 'Net.' },
    clerk: { role: 'Clerk.', tools: ['look'], terminal: true },
  },
  groups: { checks: { agents: ['cpu', 'net'], join: 'lead' } },
};

test('every event and answer matches the description, with no undescribed field', async () => {
  let looked = 0;
  const { post, url, standIn, close } = await serving(
    ({ system, messages }) => {
      const agent = /You are (\w+)/.exec(system)?.[1];
      if (agent === 'lead')
        return { text: messages.at(-1)?.text.startsWith('[cpu]') ? '[ROUTE_CLERK]' : '[ROUTE_CHECKS]' };
      if (agent !== 'clerk') return { text: 'fine' };
      return looked++ < 6
        ? { text: 'I look. '.repeat(60), calls: [{ name: 'look', input: { at: 'x'.repeat(1_500) } }] }
        : { text: 'Done.' };
    },
    { crew: ALL_EVENTS },
  );
  try {
    standIn.fail('overloaded');
    const events = await readEvents(await post('/api/crew/stream', { input: 'go' }));
    // Nothing here is folded and then spoken of again.
    const reminder = { type: 'reminder-add', agent: 'clerk', about: ['a.ts'], handles: ['m4'], tokens: 120 };
    events.push({ id: 'last', type: reminder.type, data: reminder });
    for (const { type, data } of events) expect(EVENTS[type as CrewEvent['type']]?.parse(data)).toEqual(data);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(Object.keys(EVENTS)));
    const same = async (schema: { parse(value: unknown): unknown }, response: Response | Promise<Response>) => {
      const body: unknown = await (await response).json();
      expect(schema.parse(body)).toEqual(body);
    };
    await same(SESSION, post('/api/sessions', { id: 's' }));
    await same(ANSWER, post('/api/crew', { input: 'again', session: 's' }));
    await same(SESSION_AND_TURN, ask(`${url}/api/sessions/s`));
    await same(CREW, ask(`${url}/api/crew`));
    await same(PROBLEM, post('/api/crew', {}));
  } finally {
    await close();
  }
});

test('answers a wrong method with 405 and the allowed ones', async () => {
  for (const path of Object.keys(description.paths)) {
    const takes = Object.keys(description.paths[path] ?? {}).map((method) => method.toUpperCase());
    const allow = takes.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).sort();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (takes.includes(method)) continue;
      const response = await ask(served.url + path.replace('{id}', 'x'), { method });
      expect([path, method, response.status]).toEqual([path, method, 405]);
      expect(response.headers.get('allow')?.split(', ').sort()).toEqual(allow);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(PROBLEM.parse(await response.json())).toMatchObject({ title: 'Method Not Allowed', status: 405 });
    }
  }
  expect((await fetch(`${served.url}/health`, { method: 'HEAD' })).status).toBe(200);
  expect((await ask(`${served.url}/api/crew/`, { method: 'DELETE' })).status).toBe(404);
});

describe('the limits of a request agree with each other', () => {
  test('accepts a full history of messages as long as an input may be', async () => {
    const history = Array.from({ length: 999 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: `${i}`.padEnd(31_900, 'x'),
    }));
    const response = await served.post('/api/crew', { input: 'x'.repeat(32_000), history });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  test('refuses a longer body with the limit and how to raise it', async () => {
    const small = await serving(undefined, { validator: { maxBytes: 2_000 } });
    try {
      const whole = await small.post('/api/crew', { input: 'x'.repeat(2_000) });
      expect(whole.status).toBe(413);
      expect(await whole.json()).toMatchObject({
        title: 'Content Too Large',
        detail:
          'body: must have at most 2000 bytes: send fewer or shorter messages, let a session keep the history, or start the server with a larger --max-body',
        errors: [{ field: 'body', detail: 'must have at most 2000 bytes' }],
      });
      // Without a length, too: it is counted on the way.
      const body = new ReadableStream({
        start(controller) {
          for (let i = 0; i < 30; i++) controller.enqueue(new TextEncoder().encode('x'.repeat(100)));
          controller.close();
        },
      });
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
      expect((await ask(`${small.url}/api/crew`, init)).status).toBe(413);
    } finally {
      await small.close();
    }
  });
});
