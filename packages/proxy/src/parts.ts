import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Conversations, WireMessage } from '@holdfast/sessions';
import type { RecentLists } from './body/recent-lists.ts';
import type { ProxyEvent } from './events.ts';
import type { Vendor } from './http/api-error.ts';
import type { ProxyLimits } from './options.ts';
import type { RecallWays } from './recall-sentence.ts';
import type { ProxyStatus } from './status.ts';
import type { Sender } from './upstream/send.ts';
import type { Upstream } from './upstream/upstreams.ts';
import type { Accounts } from './usage/accounts.ts';
import type { Metrics } from './usage/metrics.ts';

/** What serving a request needs of the proxy. */
export interface Parts {
  /** The port it listens on. */
  readonly port: () => number;
  readonly upstreams: Readonly<Record<Vendor, Upstream>>;
  readonly sender: Sender;
  readonly conversations: () => Promise<Conversations<WireMessage>>;
  readonly recent: RecentLists<WireMessage>;
  readonly max_tokens: number;
  readonly secret: Uint8Array;
  readonly recall: RecallWays;
  readonly limits: ProxyLimits;
  /** How many requests are running. */
  readonly active: { requests: number };
  /** Clients that know that their budget is too small. */
  readonly warned: Set<string>;
  readonly accounts: Accounts;
  readonly metrics: Metrics;
  readonly onEvent: (event: ProxyEvent) => void;
  readonly status: () => ProxyStatus;
  readonly mcp?: ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>) | undefined;
  readonly inspect?: ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>) | undefined;
}
