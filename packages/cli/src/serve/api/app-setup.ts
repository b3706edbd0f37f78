import type { CrewExecutor, CrewMetrics } from '@holdfast/crew';
import type { SessionStore } from '@holdfast/sessions';
import type { Context as HonoContext } from 'hono';
import type { Caller, Gate } from '../guard/gate.ts';
import type { InputValidator } from '../guard/input-validator.ts';
import { RequestProblem } from '../guard/problem.ts';
import type { Runs } from '../runs.ts';
import { countUpTo } from './input-schemas.ts';

/** What the routes need. */
export interface AppSetup {
  readonly executor: CrewExecutor;
  readonly store: SessionStore;
  readonly validator: InputValidator;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly metrics: CrewMetrics;
  readonly heartbeat_ms: number;
  /** Time for any body to arrive, whatever its length. */
  readonly body_ms: number;
  /** False once the server is shutting down. */
  readonly isReady: () => boolean;
  /** The client's address. */
  readonly addressOf: (context: HonoContext) => string;
  readonly log: (line: string) => void;
}

/** The client of a request, for the gate. */
export function callerOf({ addressOf }: AppSetup, context: HonoContext): Caller {
  const { method, path } = context.req;
  const isPage = method === 'GET' && path === '/';
  return { address: addressOf(context), isPage, header: (name) => context.req.header(name) };
}

/** The session id in the path. Throws RequestProblem. */
export function idIn(context: HonoContext, { schemas }: InputValidator): string {
  const parsed = schemas.session.safeParse(context.req.param('id'));
  if (parsed.success) return parsed.data;
  const errors = [{ field: 'id', detail: parsed.error.issues[0]?.message ?? 'invalid id' }];
  throw new RequestProblem(400, 'invalid session id', { errors });
}

/** A whole number in the query. Throws RequestProblem. */
export function countIn(context: HonoContext, name: string, otherwise: number, most: number): number {
  const text = context.req.query(name);
  if (text === undefined) return otherwise;
  const count = countUpTo(most).safeParse(text);
  if (count.success) return count.data;
  throw new RequestProblem(400, `${name} must be a whole number up to ${most}`, {
    errors: [{ field: name, detail: `must be a whole number up to ${most}` }],
  });
}
