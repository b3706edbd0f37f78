import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { Refused, type Vendor } from '../http/api-error.ts';
import { isLoopback } from '../http/guard.ts';
import { forwarded, headerIn } from '../http/headers.ts';
import { skippingInterim } from './skip-interim.ts';
import { type Upstream, upstreamPath } from './upstreams.ts';

/** A request to send upstream. `headers` are raw: name, value, name, value. */
export interface Outgoing {
  /** The connection on which it came. */
  readonly client: Socket;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  /** A stream, because undici would keep the bytes of any other body until the answer ends. */
  readonly body?: Readable;
  readonly signal: AbortSignal;
}

/** A request as it came. `signal`: aborts when its client leaves. */
export interface Incoming extends Pick<Outgoing, 'client' | 'signal'> {
  readonly request: IncomingMessage;
}

/** A client's request without its body, and without the headers in `dropped`. */
export function outgoing({ request, client, signal }: Incoming, ...dropped: readonly string[]): Outgoing {
  const { rawHeaders, method = 'GET', url: path = '/' } = request;
  return { client, method, path, headers: forwarded(rawHeaders, 'host', 'expect', ...dropped), signal };
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
   * Rejects with a Refused that says what to do if the upstream cannot be reached or hangs up before its headers, and when the
   * signal aborts. Each connection of a client has its own to an upstream: a request on a new one never meets one that the
   * upstream is about to close for being idle. A request that only reads is sent again if its connection breaks. No other is: the
   * model may already be at work.
   */
  send(vendor: Vendor, request: Outgoing): Promise<Answer>;
  close(): Promise<void>;
}

/** How long an idle connection may be used again if its server does not say: undici's default. Some servers close theirs after 5 s. */
const IDLE_MS = 4_000;
/** How long before its server closes it a connection is no longer used: undici's default, too. */
const MARGIN_MS = 2_000;

interface Opened {
  readonly dispatcher: Dispatcher;
  freshUntil: number;
}

/** Opens connections as they are needed. `idle_ms`: how long an upstream may be silent, before and during its answer. */
export function createSender(
  upstreams: Readonly<Record<Vendor, Upstream>>,
  { idle_ms }: { readonly idle_ms: number },
): Sender {
  // One for all, because it remembers TLS sessions.
  const connect = buildConnector({ timeout: 30_000 });
  const settings = { headersTimeout: idle_ms, bodyTimeout: idle_ms, connect, factory: createPool };
  const opened = new Map<Socket, Map<Upstream, Opened>>();
  const ofClient = (client: Socket) => {
    const own = opened.get(client) ?? new Map<Upstream, Opened>();
    if (opened.has(client)) return own;
    opened.set(client, own);
    client.once('close', () => {
      opened.delete(client);
      for (const { dispatcher } of own.values()) void dispatcher.destroy();
    });
    return own;
  };
  const openedFor = (client: Socket, upstream: Upstream) => {
    const own = ofClient(client);
    const known = own.get(upstream);
    // undici's own timers stop while the process is busy or the machine sleeps.
    if (known && Date.now() < known.freshUntil) return known;
    void known?.dispatcher.close();
    // Clients honour HTTPS_PROXY and the like themselves, but now only this process leaves the machine.
    const isLocal = isLoopback(new URL(upstream.origin).hostname);
    const dispatcher = isLocal ? new Agent(settings) : new EnvHttpProxyAgent(settings);
    const fresh = { dispatcher, freshUntil: Number.POSITIVE_INFINITY };
    own.set(upstream, fresh);
    return fresh;
  };
  const send = async (upstream: Upstream, request: Outgoing) => {
    // Of requests that came together, Node 22 aborts only the first one's signal.
    if (request.client.destroyed) throw new Error('the client has left');
    const own = openedFor(request.client, upstream);
    const sendOnce = () => sendBy(own.dispatcher, upstream, request);
    const canRepeat = READS.has(request.method) && !request.body;
    const answer = await sendOnce().catch((error: unknown) => {
      if (!canRepeat || !isBroken(error) || request.signal.aborted) throw error;
      return sendOnce();
    });
    answer.body.once('close', () => {
      own.freshUntil = Date.now() + idleMs(answer.headers);
    });
    return answer;
  };
  return {
    send: (vendor, request) =>
      send(upstreams[vendor], request).catch((error: unknown) => {
        const reason = `${upstreams[vendor].origin} did not answer (${reasonOf(error)})`;
        const message = `${reason}; check the upstream's address and your network, then retry`;
        throw new Refused({ status: 502, message, upstream: vendor }, error);
      }),
    async close() {
      const all = [...opened.values()].flatMap((own) => [...own.values()]);
      await Promise.all(all.map(({ dispatcher }) => dispatcher.destroy()));
    },
  };
}

/** How long the connection of an answer may be idle. */
function idleMs(headers: readonly string[]): number {
  const seconds = /timeout=(\d+)/i.exec(headerIn(headers, 'keep-alive') ?? '')?.[1];
  return seconds === undefined ? IDLE_MS : Number(seconds) * 1_000 - MARGIN_MS;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

async function sendBy(dispatcher: Dispatcher, upstream: Upstream, request: Outgoing): Promise<Answer> {
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
}

function createPool(origin: string | URL, { connect, ...options }: Pool.Options): Pool {
  return new Pool(origin, {
    ...options,
    connect: skippingInterim(typeof connect === 'function' ? connect : buildConnector(connect)),
  });
}

function isBroken(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

function reasonOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
