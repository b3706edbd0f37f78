import { type CrewResult, runInSession, sessionFor } from '@holdfast/agent/crew';
import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context as HonoContext } from 'hono';
import { streamSSE } from 'hono/streaming';
import { type AppSetup, bodyOf, callerOf } from './asked.ts';
import type { ValidRequest } from './input-validator.ts';
import { problemOf, RequestProblem } from './problem.ts';
import type { Run } from './runs.ts';
import { LAST_EVENT_ID } from './schemas.ts';

/** Requests to the crew, answered at once or event by event. */
export function addCrewRoutes(app: OpenAPIHono, setup: AppSetup): void {
  const { executor, store, validator, gate } = setup;
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
    gate.rate(callerOf(setup, context));
    const run = start(setup, request, true);
    run.attach();
    let result: CrewResult | undefined;
    for await (const { event } of run.buffer.read(0, context.req.raw.signal))
      if (event.type === 'result') result = event.result;
    run.detach();
    const failure = run.failure();
    // It is in the log already.
    if (failure !== undefined) throw problemOf(failure);
    if (!result) throw new RequestProblem(503, 'the request was cancelled');
    return context.json({ ...result, ...(request.session === undefined ? {} : { session: request.session }) });
  });

  app.get('/api/crew/stream', (context) => {
    const { run, after } = runNamed(setup, context) ?? nothingNamed('go on with');
    return stream(setup, context, run, after);
  });
  app.delete('/api/crew/stream', (context) => {
    const { run } = runNamed(setup, context) ?? nothingNamed('cancel');
    run.cancel();
    return context.body(null, 202);
  });
  app.post('/api/crew/stream', async (context) => {
    const named = runNamed(setup, context);
    if (named) return stream(setup, context, named.run, named.after);
    const request = validator.validateRequest(await bodyOf(context));
    gate.rate(callerOf(setup, context));
    if (request.session !== undefined) await sessionFor(executor, store, request.session, request.input);
    return stream(setup, context, start(setup, request), 0);
  });
}

function start({ executor, store, runs }: AppSetup, { input, history, session }: ValidRequest, once = false): Run {
  return runs.start(
    (signal) =>
      session === undefined
        ? executor.executeStream(input, history ?? [], { signal })
        : runInSession(executor, store, session, input, signal),
    { once, ...(session === undefined ? {} : { session }) },
  );
}

/** Events behind `after` as server-sent events, to the end or until the reader is gone. */
function stream(setup: AppSetup, context: HonoContext, run: Run, after: number): Response {
  run.attach();
  return streamSSE(context, async (sse) => {
    const gone = new AbortController();
    sse.onAbort(() => gone.abort());
    const { outgoing } = context.env as Partial<HttpBindings>;
    const cutOff = () => outgoing?.destroy();
    let writing = 0;
    const write = async (what: Promise<unknown>) => {
      const timer = setTimeout(cutOff, setup.write_ms);
      writing++;
      await what.finally(() => {
        writing--;
        clearTimeout(timer);
      });
    };
    // Who does not read what was written needs no more of it.
    const beat = setInterval(() => {
      if (writing === 0) void write(sse.write(': alive\n\n')).catch(() => gone.abort());
    }, setup.heartbeat_ms);
    try {
      for await (const { id, event } of run.buffer.read(after, gone.signal))
        await write(sse.writeSSE({ id: `${run.id}:${id}`, event: event.type, data: JSON.stringify(event) }));
      const failure = run.failure();
      if (failure !== undefined && !gone.signal.aborted)
        await write(sse.writeSSE({ event: 'problem', data: JSON.stringify(problemOf(failure).body) }));
    } finally {
      clearInterval(beat);
      run.detach();
      // The last words are on their way, and this is the last look at them.
      const timer = setTimeout(cutOff, setup.write_ms).unref();
      outgoing?.once('close', () => clearTimeout(timer));
    }
  });
}

/** The request that `last-event-id` names, and the event; undefined without one. Throws RequestProblem. */
function runNamed({ runs }: AppSetup, { req }: HonoContext): { readonly run: Run; readonly after: number } | undefined {
  const last = req.header('last-event-id');
  if (last === undefined) return undefined;
  const [id = '', at = ''] = LAST_EVENT_ID.safeParse(last).data?.split(':') ?? [];
  const run = runs.find(id);
  const after = Number(at);
  if (run?.buffer.has(after)) return { run, after };
  const errors = [{ field: 'last-event-id', detail: 'names a request that is over or unknown' }];
  throw new RequestProblem(id === '' ? 400 : 410, 'there is no such stream any more: ask again', { errors });
}

function nothingNamed(what: string): never {
  const detail = `give last-event-id to ${what} a stream; a new one begins with POST`;
  throw new RequestProblem(400, detail, { errors: [{ field: 'last-event-id', detail: 'is missing' }] });
}
