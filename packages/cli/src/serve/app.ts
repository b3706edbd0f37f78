import {
  type CrewEvent,
  type CrewExecutor,
  type CrewMetrics,
  createCrewSession,
  readCrewSession,
  runInSession,
} from '@holdfast/agent/crew';
import type { SessionStore } from '@holdfast/agent/sessions';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context as HonoContext } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { streamSSE } from 'hono/streaming';
import type { Gate } from './gate.ts';
import type { InputValidator, ValidRequest } from './input-validator.ts';
import { describeApi } from './openapi.ts';
import { PAGE, SCRIPT_HASH } from './page.ts';
import { problemOf, RequestProblem } from './problem.ts';
import { isExpected, type Run, type Runs } from './runs.ts';

/** What the server works with. */
export interface AppSetup {
  readonly executor: CrewExecutor;
  readonly store: SessionStore;
  readonly validator: InputValidator;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly metrics: CrewMetrics;
  readonly heartbeat_ms: number;
  /** False once it is about to end. */
  readonly isReady: () => boolean;
  /** The address of who asks. */
  readonly addressOf: (context: HonoContext) => string;
  readonly log: (line: string) => void;
}

/** All paths of `holdfast serve`. Nothing reaches a model before it passed the validator; what is refused is a problem of RFC 9457. */
export function createApp(setup: AppSetup): OpenAPIHono {
  const { executor, store, validator, gate, runs, metrics, log } = setup;
  const app = new OpenAPIHono();
  const callerOf = (context: HonoContext) => ({
    address: setup.addressOf(context),
    header: (name: string) => context.req.header(name),
  });

  app.onError((error, context) => {
    const problem = error instanceof HTTPException ? new RequestProblem(error.status, error.message) : problemOf(error);
    if (!isExpected(error) && problem.body.status >= 500)
      log(`${context.req.method} ${context.req.path}: ${error.stack ?? error}`);
    return refusal(problem);
  });
  app.notFound(() => refusal(new RequestProblem(404, 'there is nothing here: see /openapi.json')));
  app.use(async (context, next) => {
    gate.host(callerOf(context));
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  for (const path of ['/api/*', '/metrics', '/openapi.json'])
    app.use(path, async (context, next) => {
      gate.token(callerOf(context));
      await next();
    });
  const tooLong = () => {
    const { max_bytes } = validator.limits;
    throw new RequestProblem(413, `a body may have ${max_bytes} bytes`, {
      errors: [{ field: 'body', detail: 'is too long' }],
    });
  };
  app.use('/api/*', bodyLimit({ maxSize: validator.limits.max_bytes, onError: tooLong }));

  const bodyOf = async (context: HonoContext): Promise<string> => {
    const type = context.req.header('content-type') ?? '';
    if (!/^application\/json(?:\s*;|$)/i.test(type)) {
      const errors = [{ field: 'content-type', detail: 'must be application/json' }];
      throw new RequestProblem(415, 'give a body of content-type application/json', { errors });
    }
    return await context.req.text();
  };
  const start = (request: ValidRequest): Run => {
    const { input, history, session } = request;
    return runs.start(
      (signal) =>
        session === undefined
          ? executor.executeStream(input, history ?? [], { signal })
          : runInSession(executor, store, session, input, signal),
      session,
    );
  };

  app.get('/health', (context) => context.json({ status: 'ok' }));
  app.get('/ready', async (context) => {
    if (!setup.isReady()) throw new RequestProblem(503, 'the server is about to end');
    await store.list({ limit: 1 }).catch(() => {
      throw new RequestProblem(503, 'the store of sessions does not answer');
    });
    return context.json({ status: 'ready', active: runs.active });
  });
  app.get('/metrics', async (context) =>
    context.text(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType }),
  );
  app.get('/', (context) => context.html(PAGE));
  app.get('/api/crew', (context) => {
    const { entry, agents, groups, limits } = executor.crew;
    const about = Object.entries(agents).map(([name, { about, model, terminal, pause }]) => ({
      name,
      about,
      model,
      terminal,
      pause,
    }));
    return context.json({
      entry,
      agents: about,
      groups: Object.keys(groups),
      limits,
      max_messages_per_request: executor.max_messages_per_request,
    });
  });

  app.post('/api/crew', async (context) => {
    const request = validator.validateRequest(await bodyOf(context));
    gate.rate(callerOf(context));
    const run = start(request);
    const { signal } = context.req.raw;
    let result: Extract<CrewEvent, { type: 'result' }>['result'] | undefined;
    for await (const { event } of run.buffer.read(0, signal)) if (event.type === 'result') result = event.result;
    if (signal.aborted) run.detach();
    const failure = run.failure();
    if (failure !== undefined) throw failure;
    if (!result) throw new RequestProblem(503, 'the request was cancelled');
    return context.json({ ...result, ...(request.session === undefined ? {} : { session: request.session }) });
  });

  const stream = (context: HonoContext, run: Run, after: number) => {
    run.attach();
    return streamSSE(context, async (sse) => {
      const gone = new AbortController();
      sse.onAbort(() => gone.abort());
      const beat = setInterval(() => void sse.write(': alive\n\n').catch(() => gone.abort()), setup.heartbeat_ms);
      try {
        for await (const { id, event } of run.buffer.read(after, gone.signal))
          await sse.writeSSE({ id: `${run.id}:${id}`, event: event.type, data: JSON.stringify(event) });
        const failure = run.failure();
        if (failure !== undefined && !gone.signal.aborted)
          await sse.writeSSE({ event: 'problem', data: JSON.stringify(problemOf(failure).body) });
      } finally {
        clearInterval(beat);
        if (gone.signal.aborted || sse.aborted) run.detach();
      }
    });
  };
  const resumed = (context: HonoContext): Response | undefined => {
    const last = context.req.header('last-event-id');
    if (last === undefined) return undefined;
    const [, id = '', at = ''] = /^([0-9a-f-]{36}):(\d{1,9})$/.exec(last) ?? [];
    const run = runs.find(id);
    const after = Number(at);
    if (!run?.buffer.has(after)) {
      const errors = [{ field: 'last-event-id', detail: 'names a request that is over or unknown' }];
      throw new RequestProblem(id === '' ? 400 : 410, 'there is nothing to go on with: ask again', { errors });
    }
    return stream(context, run, after);
  };
  app.get('/api/crew/stream', (context) => {
    const response = resumed(context);
    if (response) return response;
    throw new RequestProblem(400, 'give last-event-id to go on with a stream; a new one begins with POST', {
      errors: [{ field: 'last-event-id', detail: 'is missing' }],
    });
  });
  app.post('/api/crew/stream', async (context) => {
    const response = resumed(context);
    if (response) return response;
    const request = validator.validateRequest(await bodyOf(context));
    gate.rate(callerOf(context));
    if (request.session !== undefined) await readCrewSession(executor, store, request.session);
    return stream(context, start(request), 0);
  });

  app.get('/api/sessions', async (context) => {
    const limit = countIn(context, 'limit', 50, 500);
    return context.json({ sessions: (await store.list({ limit })).filter(({ provider }) => provider === 'crew') });
  });
  app.post('/api/sessions', async (context) => {
    const asked = validator.validate(validator.schemas.newSession, await bodyOf(context));
    gate.rate(callerOf(context));
    const { id, title } = asked;
    const made = await createCrewSession(store, {
      ...(id === undefined ? {} : { id }),
      ...(title === undefined ? {} : { title }),
    });
    return context.json(made, 201, { location: `/api/sessions/${made.id}` });
  });
  app.get('/api/sessions/:id', async (context) => {
    const { info, turn } = await readCrewSession(executor, store, idIn(context, validator));
    return context.json({ ...info, turn });
  });
  app.get('/api/sessions/:id/messages', async (context) => {
    const id = idIn(context, validator);
    const page = await store.history(id, {
      from: countIn(context, 'from', 0, 1e9),
      limit: countIn(context, 'limit', 100, 500),
    });
    return context.json({
      messages: page.items.map(({ index, message }) => ({ index, message })),
      ...(page.next === undefined ? {} : { next: page.next }),
    });
  });
  const description = describeApi(app, validator.schemas);
  app.get('/openapi.json', (context) => context.json(description));
  return app;
}

/** For every answer: nothing of it is framed, guessed at, or told to others. */
const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; script-src ${SCRIPT_HASH}; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'`,
};

function refusal({ body, headers }: RequestProblem): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': 'application/problem+json', ...HEADERS, ...headers },
  });
}

function idIn(context: HonoContext, { schemas }: InputValidator): string {
  const parsed = schemas.session.safeParse(context.req.param('id'));
  if (parsed.success) return parsed.data;
  const errors = [{ field: 'id', detail: parsed.error.issues[0]?.message ?? 'is no id' }];
  throw new RequestProblem(400, 'the id of the session is none', { errors });
}

function countIn(context: HonoContext, name: string, otherwise: number, most: number): number {
  const text = context.req.query(name);
  if (text === undefined) return otherwise;
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new RequestProblem(400, `${name} must be a whole number up to ${most}`, {
    errors: [{ field: name, detail: `must be a whole number up to ${most}` }],
  });
}
