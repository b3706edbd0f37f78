import {
  type CrewEvent,
  type CrewExecutor,
  type CrewMessage,
  type CrewResult,
  runInSession,
  sessionFor,
} from '@holdfast/crew';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context as HonoContext } from 'hono';
import { streamSSE } from 'hono/streaming';
import { bodyOf } from '../guard/body.ts';
import { fieldProblem, problemOf, RequestProblem } from '../guard/problem.ts';
import type { CrewRun, Work } from '../runs.ts';
import { type AppSetup, callerOf } from './app-setup.ts';
import { LAST_EVENT_ID } from './input-schemas.ts';

/** Requests to the crew, answered as JSON or as a stream of events. */
export function addCrewRoutes(app: OpenAPIHono, setup: AppSetup): void {
  const { executor } = setup;
  app.get('/api/crew', (context) => {
    const { entry, agents, groups, limits } = executor.crew;
    const { max_messages_per_request } = executor;
    return context.json({
      entry,
      agents: Object.entries(agents).map(([name, { about, model, terminal, pause }]) => ({
        name,
        about,
        model,
        terminal,
        pause,
      })),
      groups: Object.keys(groups),
      limits,
      max_messages_per_request,
    });
  });

  app.post('/api/crew', async (context) => {
    const { run, session } = await startRequest(setup, context, true);
    run.attach();
    let result: CrewResult | undefined;
    for await (const { event } of run.buffer.read(0, context.req.raw.signal))
      if (event.type === 'result') result = event.result;
    run.detach();
    const failure = run.failure();
    // Already logged.
    if (failure !== undefined) throw problemOf(failure);
    if (!result) throw new RequestProblem(503, 'the request was cancelled');
    return context.json({ ...result, session });
  });

  app.get('/api/crew/stream', (context) => {
    const { run, after } = runNamed(setup, context) ?? missingId('resume');
    if (!run.buffer.has(after)) throw over();
    // A HEAD request reads nothing and would never detach.
    if (context.req.method === 'HEAD') return context.body(null, 200, { 'content-type': 'text/event-stream' });
    return stream(setup, context, run, after);
  });
  app.delete('/api/crew/stream', (context) => {
    const { run } = runNamed(setup, context) ?? missingId('cancel');
    if (run.buffer.isOver) throw over();
    run.cancel();
    return context.body(null, 202);
  });
  app.post('/api/crew/stream', async (context) => {
    const named = runNamed(setup, context);
    if (named && !named.run.buffer.has(named.after)) throw over();
    if (named) return stream(setup, context, named.run, named.after);
    const { run } = await startRequest(setup, context);
    return stream(setup, context, run, 0);
  });
}

const TOO_LONG =
  'send fewer or shorter messages, let a session keep the history, or start the server with a larger --max-body';

/** Reads a body and starts its request. Cheap checks come before the body is read. */
async function startRequest(setup: AppSetup, context: HonoContext, once = false) {
  const { executor, store, validator, gate, runs, bodyMs } = setup;
  gate.rate(callerOf(setup, context));
  const slot = runs.enter();
  try {
    const { maxBytes } = validator.limits;
    const body = await bodyOf(context, { maxBytes, bodyMs, hold: slot.hold, advice: TOO_LONG });
    const { input, history, session } = validator.validateRequest(body);
    if (session === undefined)
      return { run: slot.start((signal) => answering(executor, input, history ?? [], signal), { once }), session };
    if (!once) await sessionFor(executor, store, session, input);
    const work: Work = (signal) => runInSession(executor, store, session, input, signal);
    return { run: slot.start(work, { once, session }), session };
  } finally {
    slot.leave();
  }
}

/** Empties the history once the crew has its copy, so that a long one is not held twice while models work. */
async function* answering(
  executor: CrewExecutor,
  input: string | undefined,
  history: CrewMessage[],
  signal: AbortSignal,
): AsyncGenerator<CrewEvent, void> {
  for await (const event of executor.executeStream(input, history, { signal })) {
    history.length = 0;
    yield event;
  }
}

/** Events after `after` as server-sent events, until the end or until the reader is gone. */
function stream(setup: AppSetup, context: HonoContext, run: CrewRun, after: number): Response {
  run.attach();
  return streamSSE(context, async (sse) => {
    const gone = new AbortController();
    sse.onAbort(() => gone.abort());
    let writing = 0;
    const write = async (what: Promise<unknown>) => {
      writing++;
      await what.finally(() => writing--);
    };
    // No heartbeat while earlier output is still unread.
    const beat = setInterval(() => {
      if (writing === 0) void write(sse.write(': alive\n\n')).catch(() => gone.abort());
    }, setup.heartbeatMs);
    try {
      // An id before the first event, so that a client can cancel right away.
      await write(sse.write(`id: ${run.id}:${after}\n\n`));
      for await (const { id, event } of run.buffer.read(after, gone.signal))
        await write(sse.writeSSE({ id: `${run.id}:${id}`, event: event.type, data: JSON.stringify(event) }));
      const failure = run.failure();
      if (failure !== undefined && !gone.signal.aborted)
        await write(sse.writeSSE({ event: 'problem', data: JSON.stringify(problemOf(failure).body) }));
    } finally {
      clearInterval(beat);
      run.detach();
    }
  });
}

/** The request and the event in `last-event-id`; undefined without that header. Throws RequestProblem. */
function runNamed({ runs }: AppSetup, { req }: HonoContext) {
  const last = req.header('last-event-id');
  if (last === undefined) return undefined;
  if (!LAST_EVENT_ID.safeParse(last).success)
    throw fieldProblem(400, 'last-event-id is not the id of an event', 'last-event-id', 'must be the id of an event');
  const [id = '', at = ''] = last.split(':');
  const run = runs.find(id);
  if (!run) throw over();
  return { run, after: Number(at) };
}

function over(): RequestProblem {
  const text = 'the stream no longer exists: send the request again';
  return fieldProblem(410, text, 'last-event-id', 'names an unknown or finished request');
}

function missingId(what: string): never {
  const text = `send last-event-id to ${what} a stream, or POST to start one`;
  throw fieldProblem(400, text, 'last-event-id', 'is missing');
}
