import { createServer, type Server } from 'node:http';
import { type ProxyOptions, readOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { serve } from './serve.ts';
import type { ProxyStatus } from './status.ts';
import { createSender } from './upstream/send.ts';
import { readUpstreams } from './upstream/upstreams.ts';

/** A proxy between clients and their APIs. */
export interface HoldfastProxy {
  /** The base URL for Anthropic's clients; OpenAI's add `/v1`. Complete once it listens. */
  readonly url: string;
  /** Starts to listen. Rejects if the port is taken. */
  listen(): Promise<void>;
  /** Closes all connections and stops. */
  close(): Promise<void>;
  status(): ProxyStatus;
}

/** How long idle connections of clients stay open: longer than clients keep theirs, which avoids resets. */
const KEEP_ALIVE_MS = 65_000;
const REQUEST_MS = 600_000;

/** A proxy that does not listen yet. Throws BAD_CONFIG for invalid options. */
export function createProxy(options: ProxyOptions = {}): HoldfastProxy {
  const { host, port, limits, onEvent = () => {}, mcp, upstreams: addresses } = readOptions(options);
  const upstreams = readUpstreams(addresses);
  const active = { requests: 0 };
  const sender = createSender(limits);
  const bound = () => portOf(server) ?? port;
  const urlOf = () => `http://${host.includes(':') ? `[${host}]` : host}:${bound()}`;
  const status = () => ({
    url: urlOf(),
    upstreams: {
      anthropic: upstreams.anthropic.origin + upstreams.anthropic.base,
      openai: upstreams.openai.origin + upstreams.openai.base,
    },
    active: active.requests,
  });
  const parts: Parts = { port: bound, upstreams, sender, limits, active, onEvent, status, mcp };
  const settings = { headersTimeout: limits.headers_ms, requestTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = createServer(settings, (request, response) => void serve(request, response, parts));
  return {
    get url() {
      return urlOf();
    },
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      }),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await Promise.all([closed, sender.close()]);
    },
    status,
  };
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}
