import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { type AppSetup, callerOf } from './asked.ts';
import { addCrewRoutes } from './crew-routes.ts';
import { describeApi } from './openapi.ts';
import { PAGE } from './page.ts';
import { isExpected, problemOf, RequestProblem } from './problem.ts';
import { HEADERS, refusal } from './refusal.ts';
import { addSessionRoutes } from './session-routes.ts';

/** All paths of `holdfast serve`. Nothing reaches a model before it passed the validator; what is refused is a problem of RFC 9457. */
export function createApp(setup: AppSetup): OpenAPIHono {
  const { store, validator, gate, runs, metrics, log } = setup;
  const app = new OpenAPIHono();
  app.onError((error, context) => {
    const problem = error instanceof HTTPException ? new RequestProblem(error.status, error.message) : problemOf(error);
    if (!(error instanceof HTTPException) && !isExpected(error))
      log(`${context.req.method} ${context.req.path}: ${error.stack ?? error}`);
    return refusal(problem);
  });
  app.notFound(() => refusal(new RequestProblem(404, 'there is nothing here: see /openapi.json')));
  app.use(async (context, next) => {
    gate.host(callerOf(setup, context));
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  for (const path of ['/api/*', '/metrics', '/openapi.json'])
    app.use(path, async (context, next) => {
      gate.token(callerOf(setup, context));
      await next();
    });
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
  addCrewRoutes(app, setup);
  addSessionRoutes(app, setup);
  const description = describeApi(app, validator.schemas, gate.asksToken);
  app.get('/openapi.json', (context) => context.json(description));
  refuseOtherMethods(app);
  return app;
}

/** What a path knows is said to who asks it for something else. */
function refuseOtherMethods(app: OpenAPIHono): void {
  const known = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue;
    const methods = known.get(path) ?? new Set();
    for (const one of method === 'GET' ? ['GET', 'HEAD'] : [method]) methods.add(one);
    known.set(path, methods);
  }
  for (const [path, methods] of known) {
    const allow = [...methods].join(', ');
    app.all(path, ({ req }) => {
      throw new RequestProblem(405, `${req.path} takes ${allow}`, { headers: { allow } });
    });
  }
}
