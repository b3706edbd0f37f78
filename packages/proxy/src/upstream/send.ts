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
  /**
   * Rejects if the upstream cannot be reached or hangs up before its headers, and when the signal aborts. A request on a
   * connection that broke is sent once more on a new one, unless its body is a stream: upstreams close idle connections, and
   * may do so just as the next request arrives.
   */
  send(upstream: Upstream, request: Outgoing): Promise<Answer>;
  close(): Promise<void>;
}

/** Opens connections as they are needed. `idle_ms`: how long an upstream may be silent, before and during its answer. */
export function createSender({ idle_ms }: { readonly idle_ms: number }): Sender {
  const settings = { headersTimeout: idle_ms, bodyTimeout: idle_ms, connect: { timeout: 30_000 } };
  // Without pipelining, undici opens a connection for each request.
  const [kept, fresh] = [createConnections(settings), createConnections({ ...settings, pipelining: 0 })];
  const sendBy = async (dispatcher: Dispatcher, upstream: Upstream, request: Outgoing): Promise<Answer> => {
    const answer = await dispatcher.request({
      origin: upstream.origin,
      path: upstreamPath(upstream, request.path),
      method: request.method as Dispatcher.HttpMethod,
      headers: [...request.headers],
      body: request.body ?? null,
      signal: request.signal,
      responseHeaders: 'raw',
    });
    return { status: answer.statusCode, headers: answer.headers as unknown as string[], body: answer.body };
  };
  return {
    async send(upstream, request) {
      const isLocal = isLoopback(new URL(upstream.origin).hostname);
      try {
        return await sendBy(kept.to(isLocal), upstream, request);
      } catch (error) {
        const canRepeat = request.body === undefined || request.body instanceof Uint8Array;
        if (!canRepeat || !isBroken(error) || request.signal.aborted) throw error;
        return await sendBy(fresh.to(isLocal), upstream, request);
      }
    },
    close: async () => {
      await Promise.all([kept.close(), fresh.close()]);
    },
  };
}

/** Direct connections, and those through the proxy that the environment names. */
function createConnections(settings: Agent.Options) {
  const direct = new Agent(settings);
  // Clients honour these variables themselves, but now only this process leaves the machine.
  const isProxied = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => process.env[name]);
  const outside: Dispatcher = isProxied ? new EnvHttpProxyAgent(settings) : direct;
  return {
    to: (isLocal: boolean) => (isLocal ? direct : outside),
    async close() {
      await direct.destroy();
      if (outside !== direct) await outside.destroy();
    },
  };
}

function isBroken(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
