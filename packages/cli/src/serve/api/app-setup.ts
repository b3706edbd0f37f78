import type { CrewExecutor, CrewMetrics } from '@holdfast/crew';
import type { SessionStore } from '@holdfast/sessions';
import type { Context as HonoContext } from 'hono';
import type { Caller, Gate } from '../guard/gate.ts';
import type { InputValidator } from '../guard/input-validator.ts';
import type { Runs } from '../runs.ts';

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
