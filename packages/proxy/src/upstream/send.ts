import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { isLoopback } from '../http/guard.ts';
import { type Upstream, upstreamPath } from './upstreams.ts';

/** A request to send upstream. `headers` are raw: name, value, name, value. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body?: Uint8Array | Readable;
  readonly signal: AbortSignal;
}

/** The upstream's answer, as soon as its headers are here. `body` has the bytes as they were sent, compressed or not. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Readable;
}

/** The connections to all upstreams. */
export interface Sender {
  /** Rejects if the upstream cannot be reached or hangs up before its headers, and when the signal aborts. */
  send(upstream: Upstream, request: Outgoing): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens connections as they are needed. `idle_ms`: how long an upstream may be silent, before and during its answer. */
export function createSender({ idle_ms }: { readonly idle_ms: number }): Sender {
  const settings = { headersTimeout: idle_ms, bodyTimeout: idle_ms, connect: { timeout: 30_000 } };
  const direct = new Agent(settings);
  // Clients honour these variables themselves, but now only the proxy leaves the machine.
  const isProxied = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => process.env[name]);
  const outside: Dispatcher = isProxied ? new EnvHttpProxyAgent(settings) : direct;
  return {
    async send(upstream, { method, path, headers, body, signal }) {
      const { hostname } = new URL(upstream.origin);
      const answer = await (isLoopback(hostname) ? direct : outside).request({
        origin: upstream.origin,
        path: upstreamPath(upstream, path),
        method: method as Dispatcher.HttpMethod,
        headers: [...headers],
        body: body ?? null,
        signal,
        responseHeaders: 'raw',
      });
      return { status: answer.statusCode, headers: answer.headers as unknown as string[], body: answer.body };
    },
    async close() {
      await Promise.all([direct.destroy(), outside === direct ? undefined : outside.destroy()]);
    },
  };
}
