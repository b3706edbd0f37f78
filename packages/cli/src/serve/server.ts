import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { CrewExecutor, CrewMetrics } from '@holdfast/crew';
import type { SessionStore } from '@holdfast/sessions';
import { getRequestListener, RequestError } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { WrongUse } from '../failure.ts';
import { createApp } from './app.ts';
import { patienceFor } from './body.ts';
import { refuseBroken } from './broken-request.ts';
import { boundConnections, maxConnections } from './connections.ts';
import { createGate } from './gate.ts';
import { InputValidator, type ValidatorOptions } from './input-validator.ts';
import { isExpected, problemOf, RequestProblem } from './problem.ts';
import { refusal } from './refusal.ts';
import { createRuns } from './runs.ts';
import { endSlowReaders } from './slow-readers.ts';

/** What a server is started with. */
export interface ServerSetup {
  readonly executor: CrewExecutor;
  readonly store: SessionStore;
  readonly metrics: CrewMetrics;
  readonly host: string;
  readonly port: number;
  /** Must be there where others can reach the host. */
  readonly token?: string;
  /** Requests of one address in a minute; 0 = no limit. */
  readonly rate: number;
  /** Requests at once; 0 = no limit. */
  readonly max_concurrent: number;
  /** Bytes that requests in flight may hold together; 0 = no limit. Default: half of what the process may have. */
  readonly max_memory?: number;
  readonly resume_ms: number;
  readonly heartbeat_ms?: number;
  /** A reader who takes nothing for so long is cut off. */
  readonly write_ms?: number;
  readonly body_ms?: number;
  /** A head must have come by then. */
  readonly headers_ms?: number;
  readonly validator?: ValidatorOptions;
  readonly log: (line: string) => void;
}

/** A server that runs. */
export interface CrewServer {
  readonly url: string;
  readonly active: () => number;
  /**
   * Takes no more requests, lets those under way end within so long, then ends them: what sessions hold is kept. Until then
   * it says at `/ready` that it is not. Called once more, it waits for no reader.
   */
  close(grace_ms: number): Promise<void>;
}

const HEARTBEAT_MS = 15_000;
const WRITE_MS = 30_000;
const BODY_MS = 30_000;
const HEADERS_MS = 10_000;
/** Connections for those who only look: `/health`, the page, sessions. */
const SPARE = 12;
/** The rest is for what else the process has. */
const HALF = 0.5;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** True for an address that only this machine can reach. Pure. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Serves a crew. Throws WrongUse where it cannot listen. */
export async function startServer(setup: ServerSetup): Promise<CrewServer> {
  const { executor, host, token, rate, resume_ms, heartbeat_ms = HEARTBEAT_MS, body_ms = BODY_MS } = setup;
  const validator = new InputValidator(setup.validator);
  if (validator.max_messages_per_request !== undefined)
    executor.max_messages_per_request = validator.max_messages_per_request;
  const onThrow = (error: unknown) => {
    if (isExpected(error)) return;
    setup.metrics.threw();
    setup.log(`a request to the crew: ${error instanceof Error ? error.stack : String(error)}`);
  };
  const max_memory = setup.max_memory ?? HALF * getHeapStatistics().heap_size_limit;
  const connections = maxConnections();
  const max_concurrent = Math.min(setup.max_concurrent || connections, connections - SPARE);
  const runs = createRuns({ max_concurrent, max_memory, resume_ms, onThrow });
  let isReady = true;
  const app = createApp({
    ...setup,
    validator,
    gate: createGate({ loopback: isLoopback(host), rate, ...(token === undefined ? {} : { token }) }),
    runs,
    heartbeat_ms,
    body_ms,
    isReady: () => isReady,
    addressOf: (context) => getConnInfo(context).remote.address ?? '',
  });
  const server = await listening(app.fetch, setup);
  boundConnections(server, connections);
  // Whoever reads a body looks after its pace; this is for what nobody reads.
  server.requestTimeout = patienceFor(validator.limits.max_bytes, body_ms) + BODY_MS;
  endSlowReaders(server, setup.write_ms ?? WRITE_MS);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    active: () => runs.active,
    async close(grace_ms) {
      const isFirst = isReady;
      isReady = false;
      await runs.close(grace_ms);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // What was just ended is still being told; who reads too slowly for that has read enough.
      const timer = setTimeout(() => server.closeAllConnections(), isFirst ? LAST_WORDS_MS : 0);
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}

const LAST_WORDS_MS = 1_000;
const NO_TARGET = new RequestProblem(400, 'the request has no host, or one or a path that is none');

type Fetch = Parameters<typeof getRequestListener>[0];

function listening(fetch: Fetch, { host, port, headers_ms = HEADERS_MS, log }: ServerSetup): Promise<Server> {
  return new Promise((resolve, reject) => {
    // What has no host, or no path that could be one, never comes to a route.
    const errorHandler = (error: unknown) => {
      if (error instanceof RequestError) return refusal(NO_TARGET);
      log(`a request: ${error instanceof Error ? error.stack : String(error)}`);
      return refusal(problemOf(error));
    };
    // Headers that trickle hold nothing up. Node looks for them only so often.
    const limits = {
      requireHostHeader: false,
      headersTimeout: headers_ms,
      connectionsCheckingInterval: headers_ms / 4,
    };
    const server = createServer(limits, getRequestListener(fetch, { errorHandler }));
    server.listen(port, host, () => resolve(server));
    refuseBroken(server);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'something else listens there: give another --port' : error.message;
      reject(new WrongUse(`${host}:${port}: ${why}`, error));
    });
  });
}
