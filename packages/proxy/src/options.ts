import type { IncomingMessage, ServerResponse } from 'node:http';
import { HoldfastError } from 'holdfast';
import type { ProxyEvent } from './events.ts';
import { isLoopback } from './http/guard.ts';
import type { UpstreamAddresses } from './upstream/upstreams.ts';

/** How to set up a proxy; every option has a default. */
export interface ProxyOptions {
  /** Where requests go; the vendors' public APIs by default. Never taken from a request. */
  readonly upstreams?: UpstreamAddresses;
  /** A loopback address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 4142; 0 is any free port. */
  readonly port?: number;
  /** Called with everything worth a line in a log. Must not throw. */
  readonly onEvent?: (event: ProxyEvent) => void;
  /** Serves `/mcp`. */
  readonly mcp?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  readonly limits?: Partial<ProxyLimits>;
}

/** What the proxy spends at most on its clients. No measurement supports these defaults. */
export interface ProxyLimits {
  /** Bytes of a request's body, if the request is one that may be folded. Default 64 MB, twice what Anthropic accepts. */
  readonly body_bytes: number;
  /** Requests at a time; more are refused with 503. Default 1000. */
  readonly requests: number;
  /** How long a client may take to send its headers. Default 30 seconds. */
  readonly headers_ms: number;
  /** How long an upstream may be silent. Default 30 minutes, because models may think for more than 10. */
  readonly idle_ms: number;
}

const LIMITS: ProxyLimits = { body_bytes: 64_000_000, requests: 1_000, headers_ms: 30_000, idle_ms: 1_800_000 };

/** The options with their defaults. Throws BAD_CONFIG for a host that other machines can reach and for wrong numbers. */
export function readOptions({ host = '127.0.0.1', port = 4142, limits = {}, ...rest }: ProxyOptions) {
  if (!isLoopback(host))
    throw new HoldfastError(
      'BAD_CONFIG',
      `invalid host "${host}": the proxy listens only on this machine; use 127.0.0.1`,
    );
  const all: ProxyLimits = { ...LIMITS, ...limits };
  for (const [key, value] of Object.entries({ port, ...all }))
    if (!Number.isSafeInteger(value) || value < (key === 'port' ? 0 : 1))
      throw new HoldfastError('BAD_CONFIG', `invalid ${key} ${value}: expected a whole number`);
  return { ...rest, host, port, limits: all };
}
