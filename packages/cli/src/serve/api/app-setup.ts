import type { Inspector } from '@holdfast/inspector';
import type { Context as HonoContext } from 'hono';
import type { Caller, Gate } from '../guard/gate.ts';
import type { InputValidator } from '../guard/input-validator.ts';
import type { Runs } from '../runs.ts';
import type { ServerSetup } from '../server.ts';

type OfServer = 'executor' | 'store' | 'metrics' | 'heartbeatMs' | 'bodyMs' | 'log';

/** What the routes need. */
export interface AppSetup extends Required<Pick<ServerSetup, OfServer>> {
  readonly validator: InputValidator;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly inspector: Pick<Inspector, 'fetch'>;
  /** False once the server is shutting down. */
  readonly isReady: () => boolean;
  /** The client's address. */
  readonly addressOf: (context: HonoContext) => string;
}

/** The client of a request, for the gate. */
export function callerOf({ addressOf }: AppSetup, context: HonoContext): Caller {
  const { method, path } = context.req;
  const isPage = method === 'GET' && path === '/';
  return { address: addressOf(context), isPage, header: (name) => context.req.header(name) };
}
