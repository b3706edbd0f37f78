import { OpenAPIHono } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';
import { HEADERS, isExpected, problemOf, RequestProblem, refusal } from '../guard/problem.ts';
import { type AppSetup, callerOf } from './app-setup.ts';
import { addCrewRoutes } from './crew-routes.ts';
import { describeApi } from './openapi.ts';
import { addSessionRoutes } from './session-routes.ts';

/** All routes of `holdfast serve`. Only validated requests reach a model; refused ones get a problem (RFC 9457). */
export function createApp(setup: AppSetup): OpenAPIHono {
  const { store, validator, gate, runs, metrics, log } = setup;
  const app = new OpenAPIHono();
  app.onError((error, context) => {
    const problem = error instanceof HTTPException ? new RequestProblem(error.status, error.message) : problemOf(error);
    if (!(error instanceof HTTPException) && !isExpected(error))
      log(`${context.req.method} ${context.req.path}: ${error.stack ?? error}`);
    return refusal(problem);
  });
  app.notFound(() => refusal(new RequestProblem(404, 'no such path: see /openapi.json')));
  // It checks its callers itself, and its page has headers of its own.
  for (const path of ['/inspect', '/inspect/*']) app.all(path, (context) => setup.inspector.fetch(context.req.raw));
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
    if (!setup.isReady()) throw new RequestProblem(503, 'the server is shutting down');
    await store.list({ limit: 1 }).catch(() => {
      throw new RequestProblem(503, 'the session store does not respond');
    });
    return context.json({ status: 'ready', active: runs.active });
  });
  app.get('/metrics', async (context) =>
    context.text(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType }),
  );
  app.get('/', (context) => context.redirect('/inspect/'));
  addCrewRoutes(app, setup);
  addSessionRoutes(app, setup);
  const description = describeApi(app, validator.schemas);
  app.get('/openapi.json', (context) => context.json(description));
  refuseOtherMethods(app);
  return app;
}

/** Answers a wrong method with 405 and the methods of the path. */
function refuseOtherMethods(app: OpenAPIHono): void {
  const routes = app.routes.filter(({ method }) => method !== 'ALL');
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', ');
    app.all(path, ({ req }) => {
      throw new RequestProblem(405, `${req.path} accepts ${allow}`, { headers: { allow } });
    });
  }
}
