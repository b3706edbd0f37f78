import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { CrewExecutor, CrewMetrics } from '@holdfast/crew';
import { boundConnections, maxConnections } from '@holdfast/proxy/connections';
import type { SessionStore } from '@holdfast/sessions';
import { getRequestListener, RequestError } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { WrongUse } from '../failure.ts';
import { inspectorAddress } from '../ui/address.ts';
import { createApp } from './api/app.ts';
import type { InputLimits } from './api/input-schemas.ts';
import { patienceFor } from './guard/body.ts';
import { endSlowReaders, refuseBroken } from './guard/connections.ts';
import { createGate } from './guard/gate.ts';
import { InputValidator } from './guard/input-validator.ts';
import { isExpected, problemOf, RequestProblem, refusal } from './guard/problem.ts';
import { serveInspector } from './inspect.ts';
import { createRuns } from './runs.ts';

export interface ServerSetup {
  readonly executor: CrewExecutor;
  readonly store: SessionStore;
  readonly metrics: CrewMetrics;
  readonly host: string;
  readonly port: number;
  /** What clients must send. */
  readonly token: string;
  /** The user chose the token: the server may be behind another one, and no printed address has the token. */
  readonly isTokenGiven?: boolean;
  /** Requests per minute from one address; 0 = no limit. */
  readonly rate: number;
  /** Concurrent requests; 0 = no limit. */
  readonly maxConcurrent: number;
  /** Memory of all running requests in bytes; 0 = no limit. Default: half of the heap. */
  readonly maxMemory?: number;
  readonly resumeMs: number;
  readonly heartbeatMs?: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly writeMs?: number;
  /** Time for any body to arrive, whatever its length. */
  readonly bodyMs?: number;
  /** Time for all headers to arrive. */
  readonly headersMs?: number;
  readonly validator?: Partial<InputLimits>;
  readonly log: (line: string) => void;
  /** Where the store is, for people. */
  readonly storeName?: string;
}

/** A running server. */
export interface CrewServer {
  readonly url: string;
  /** The address of the inspector, with the token unless the user chose it. */
  readonly inspector: string;
  readonly active: () => number;
  /**
   * Accepts no more requests, waits `graceMs` for those in progress, then cancels them; sessions keep their messages. `/ready`
   * answers 503 meanwhile. A second call does not wait for readers.
   */
  close(graceMs: number): Promise<void>;
}

const HEARTBEAT_MS = 15_000;
const WRITE_MS = 30_000;
const BODY_MS = 30_000;
const HEADERS_MS = 10_000;
/** Connections reserved for cheap requests: `/health`, the page, sessions. */
const SPARE = 12;
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** True for an address that only this machine can reach. Pure. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host);
}

/** Serves a crew. Throws WrongUse if it cannot listen. */
export async function startServer(setup: ServerSetup): Promise<CrewServer> {
  const {
    host,
    token,
    isTokenGiven: anyHost = false,
    rate,
    resumeMs,
    heartbeatMs = HEARTBEAT_MS,
    bodyMs = BODY_MS,
  } = setup;
  const validator = new InputValidator(setup.validator);
  const onThrow = (error: unknown) => {
    if (isExpected(error)) return;
    setup.metrics.threw();
    setup.log(`request to the crew failed: ${error instanceof Error ? error.stack : String(error)}`);
  };
  const maxMemory = setup.maxMemory ?? 0.5 * getHeapStatistics().heap_size_limit;
  const connections = maxConnections();
  const maxConcurrent = Math.min(setup.maxConcurrent || connections, connections - SPARE);
  const runs = createRuns({ maxConcurrent, maxMemory, resumeMs, onThrow });
  const inspector = serveInspector({ ...setup, runs, anyHost });
  let isReady = true;
  const app = createApp({
    ...setup,
    validator,
    inspector,
    gate: createGate({ token, anyHost, rate }),
    runs,
    heartbeatMs,
    bodyMs,
    isReady: () => isReady,
    addressOf: (context) => getConnInfo(context).remote.address ?? '',
  });
  const server = await listening(app.fetch, setup);
  boundConnections(server, connections);
  // Reading a body has its own time limit; this one is for bodies that are not read.
  server.requestTimeout = patienceFor(validator.limits.maxBytes, bodyMs) + BODY_MS;
  endSlowReaders(server, setup.writeMs ?? WRITE_MS);
  const { port } = server.address() as AddressInfo;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    url,
    inspector: inspectorAddress(url, anyHost ? undefined : token),
    active: () => runs.active,
    async close(graceMs) {
      const isFirst = isReady;
      isReady = false;
      await Promise.all([runs.close(graceMs), inspector.close()]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Readers have a moment to receive the end of their streams.
      const timer = setTimeout(() => server.closeAllConnections(), isFirst ? LAST_WORDS_MS : 0);
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}

const LAST_WORDS_MS = 1_000;
const NO_TARGET = new RequestProblem(400, 'the request has no valid host or path');

type Fetch = Parameters<typeof getRequestListener>[0];

function listening(fetch: Fetch, { host, port, headersMs = HEADERS_MS, log }: ServerSetup): Promise<Server> {
  return new Promise((resolve, reject) => {
    // Requests without a valid host or path never reach a route.
    const errorHandler = (error: unknown) => {
      if (error instanceof RequestError) return refusal(NO_TARGET);
      log(`request failed: ${error instanceof Error ? error.stack : String(error)}`);
      return refusal(problemOf(error));
    };
    // Slow headers must not block others; Node checks them at this interval.
    const limits = {
      requireHostHeader: false,
      headersTimeout: headersMs,
      connectionsCheckingInterval: headersMs / 4,
    };
    const server = createServer(limits, getRequestListener(fetch, { errorHandler }));
    server.listen(port, host, () => resolve(server));
    refuseBroken(server);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'the port is in use: choose another --port' : error.message;
      reject(new WrongUse(`${host}:${port}: ${why}`, error));
    });
  });
}
