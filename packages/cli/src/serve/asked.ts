import type { CrewExecutor, CrewMetrics } from '@holdfast/crew';
import type { SessionStore } from '@holdfast/sessions';
import type { Context as HonoContext } from 'hono';
import type { Caller, Gate } from './gate.ts';
import type { InputValidator } from './input-validator.ts';
import { RequestProblem } from './problem.ts';
import type { Runs } from './runs.ts';
import { countUpTo } from './schemas.ts';

/** What the server works with. */
export interface AppSetup {
  readonly executor: CrewExecutor;
  readonly store: SessionStore;
  readonly validator: InputValidator;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly metrics: CrewMetrics;
  readonly heartbeat_ms: number;
  /** How long a body may take, whatever its length. */
  readonly body_ms: number;
  /** False once it is about to end. */
  readonly isReady: () => boolean;
  /** The address of who asks. */
  readonly addressOf: (context: HonoContext) => string;
  readonly log: (line: string) => void;
}

/** Who asks. */
export function callerOf({ addressOf }: AppSetup, context: HonoContext): Caller {
  const { method, path } = context.req;
  const isPage = method === 'GET' && path === '/';
  return { address: addressOf(context), isPage, header: (name) => context.req.header(name) };
}

/** The id in a path. Throws RequestProblem. */
export function idIn(context: HonoContext, { schemas }: InputValidator): string {
  const parsed = schemas.session.safeParse(context.req.param('id'));
  if (parsed.success) return parsed.data;
  const errors = [{ field: 'id', detail: parsed.error.issues[0]?.message ?? 'is no id' }];
  throw new RequestProblem(400, 'the id of the session is none', { errors });
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
