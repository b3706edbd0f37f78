import { createCrewSession, crewSessionInfo, readCrewSession } from '@holdfast/crew';
import type { SessionInfo, SessionStore } from '@holdfast/sessions';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Context as HonoContext } from 'hono';
import { bodyOf } from '../guard/body.ts';
import type { InputValidator } from '../guard/input-validator.ts';
import { fieldProblem } from '../guard/problem.ts';
import { type AppSetup, callerOf } from './app-setup.ts';
import { countUpTo } from './input-schemas.ts';
import { MOST } from './openapi.ts';

/** Routes for crews' sessions; other sessions in the same store are not shown. */
export function addSessionRoutes(app: OpenAPIHono, setup: AppSetup): void {
  const { executor, store, validator, gate } = setup;
  app.get('/api/sessions', async (context) => {
    return context.json({ sessions: await listed(store, countIn(context, 'limit', 50, MOST.sessions)) });
  });
  app.post('/api/sessions', async (context) => {
    gate.rate(callerOf(setup, context));
    const body = await bodyOf(context, { ...NEW_SESSION, bodyMs: setup.bodyMs });
    const { id, title } = validator.validate(validator.schemas.newSession, body);
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
    await crewSessionInfo(store, id);
    const page = await store.history(id, {
      from: countIn(context, 'from', 0, MOST.from),
      limit: countIn(context, 'limit', 100, MOST.messages),
    });
    const messages = page.items.map(({ index, message }) => ({ index, message }));
    return context.json({ messages, next: page.next });
  });
}

/** The session id in the path. Throws RequestProblem. */
function idIn(context: HonoContext, { schemas }: InputValidator): string {
  const { data, error } = schemas.session.safeParse(context.req.param('id'));
  if (data !== undefined) return data;
  throw fieldProblem(400, 'invalid session id', 'id', error?.issues[0]?.message ?? 'invalid id');
}

/** A whole number in the query. Throws RequestProblem. */
function countIn(context: HonoContext, name: string, otherwise: number, most: number): number {
  const text = context.req.query(name);
  const { data } = countUpTo(most).safeParse(text ?? String(otherwise));
  if (data !== undefined) return data;
  const detail = `must be a whole number up to ${most}`;
  throw fieldProblem(400, `${name} ${detail}`, name, detail);
}

/** Far above an id and a title. */
const NEW_SESSION = { maxBytes: 16_000, advice: 'send an id and a title only' };
const PAGE = 200;

/** The newest sessions of crews, skipping others in the same store. */
async function listed(store: SessionStore, limit: number): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  for (let before: SessionInfo | undefined; found.length < limit; ) {
    const page: SessionInfo[] = await store.list({ limit: PAGE, ...(before ? { before } : {}) });
    found.push(...page.filter(({ provider }) => provider === 'crew'));
    before = page.at(-1);
    if (page.length < PAGE) break;
  }
  return found.slice(0, limit);
}
