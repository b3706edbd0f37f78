import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type Conversations,
  impatientStore,
  openConversations,
  type SessionStore,
  scopeOf,
  sqlite,
  type WireMessage,
} from '@holdfast/sessions';
import { createBodyRoom } from './body/body-room.ts';
import { createRecentLists } from './body/recent-lists.ts';
import type { ProxyEvent } from './events.ts';
import { boundConnections, endSilent, maxConnections } from './http/connections.ts';
import { createPresence } from './http/presence.ts';
import { type ProxyOptions, readOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { refuseTunnel, serve } from './serve.ts';
import type { ProxyStatus } from './status.ts';
import { createSender } from './upstream/send.ts';
import { readUpstreams, type Upstream } from './upstream/upstreams.ts';
import { createAccounts } from './usage/accounts.ts';
import { createMetrics } from './usage/metrics.ts';

/** A proxy between clients and their APIs. */
export interface HoldfastProxy {
  /** The base URL for Anthropic's clients; OpenAI's add `/v1`. Complete once it listens. */
  readonly url: string;
  /** Starts to listen. Rejects if the port is taken. */
  listen(): Promise<void>;
  /** Closes all connections and stops. */
  close(): Promise<void>;
  status(): ProxyStatus;
  /** True for the session of a conversation whose clients were here and have closed all connections. */
  hasLeft(session: string): boolean;
}

/** Node's own limit, 16 KB, is below that of the APIs. */
const HEADER_BYTES = 131_072;

/** A proxy that does not listen yet. Throws BAD_CONFIG for invalid options. */
export function createProxy(options: ProxyOptions = {}): HoldfastProxy {
  const { host, port, limits, max_tokens, secret, recall, mcp, inspect, ...rest } = readOptions(options);
  const upstreams = readUpstreams(rest.upstreams);
  const [active, since] = [{ requests: 0 }, Date.now()];
  const accounts = createAccounts();
  const presence = createPresence();
  const metrics = createMetrics(accounts, active);
  const onEvent = (event: ProxyEvent) => {
    if (event.type === 'fold-end') accounts.fold();
    else if (event.type === 'answer-fail' || event.type === 'request-refuse') accounts.fail(event.status);
    else if (event.type === 'upstream-fail') accounts.fail(502);
    metrics.observe(event);
    rest.onEvent(event);
  };
  const sender = createSender(upstreams, limits);
  const kept = createKept({ ...rest, limits });
  const bound = () => portOf(server) ?? port;
  const urlOf = () => `http://${host.includes(':') ? `[${host}]` : host}:${bound()}`;
  const status = () => ({
    url: urlOf(),
    upstreams: {
      anthropic: addressOf(upstreams.anthropic),
      openai: addressOf(upstreams.openai),
      gemini: addressOf(upstreams.gemini),
    },
    max_tokens,
    since,
    active: active.requests,
    totals: accounts.totals(),
    conversations: accounts.conversations(),
  });
  const parts: Parts = {
    ...{
      sender,
      limits,
      max_tokens,
      secret,
      recall,
      mcp,
      inspect,
      active,
      accounts,
      presence,
      metrics,
      onEvent,
      status,
    },
    port: bound,
    conversations: kept.open,
    records: rest.store !== undefined,
    bodies: createBodyRoom(limits.all_bodies_bytes, limits.room_ms),
    recent: createRecentLists(limits.recent_bytes),
    warned: new Set(),
  };
  const handle = (request: IncomingMessage, response: ServerResponse) => void serve(request, response, parts);
  const server = createServer({ maxHeaderSize: HEADER_BYTES }, handle)
    .on('checkExpectation', handle)
    .on('connect', (_, socket) => refuseTunnel(socket, parts));
  boundConnections(server, maxConnections());
  endSilent(server, limits.client_ms);
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
      await kept.close();
    },
    status,
    hasLeft: (session) => presence.hasLeft(scopeOf(session) ?? ''),
  };
}

/** The conversations, opened with the first request that needs them. */
function createKept({
  store,
  conversation: config,
  limits,
}: Pick<ReturnType<typeof readOptions>, 'store' | 'conversation' | 'limits'>) {
  let opened: Promise<{ readonly used: SessionStore; readonly conversations: Conversations<WireMessage> }> | undefined;
  const open = async () => {
    const used = store ?? (await sqlite(':memory:'));
    return {
      used,
      conversations: openConversations<WireMessage>({ store: impatientStore(() => used, limits.store_ms), ...config }),
    };
  };
  return {
    async open() {
      opened ??= open();
      return (await opened).conversations;
    },
    async close() {
      const { used, conversations } = (await opened?.catch(() => undefined)) ?? {};
      await conversations?.close();
      if (used !== store) await used?.close();
    },
  };
}

function addressOf({ origin, base }: Upstream): string {
  return origin + base;
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}
