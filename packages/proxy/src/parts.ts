import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Conversations, WireMessage } from '@holdfast/sessions';
import type { BodyRoom } from './body/body-room.ts';
import type { RecentLists } from './body/recent-lists.ts';
import type { ProxyEvent } from './events.ts';
import type { Presence } from './http/presence.ts';
import type { ProxyLimits } from './options.ts';
import type { RecallWays } from './recall-sentence.ts';
import type { ProxyStatus } from './status.ts';
import type { Sender } from './upstream/send.ts';
import type { Accounts } from './usage/accounts.ts';
import type { Metrics } from './usage/metrics.ts';

/** What serving a request needs of the proxy. */
export interface Parts {
  /** The port it listens on. */
  readonly port: () => number;
  readonly sender: Sender;
  readonly conversations: () => Promise<Conversations<WireMessage>>;
  /** True if there is a store, from which requests can be read. */
  readonly records: boolean;
  readonly bodies: BodyRoom;
  readonly recent: RecentLists<WireMessage>;
  /** Undefined: the default of each model. */
  readonly max_tokens: number | undefined;
  readonly secret: Uint8Array;
  readonly recall: RecallWays;
  readonly limits: ProxyLimits;
  /** How many requests are running. */
  readonly active: { requests: number };
  /** Clients that were warned that their budget is too small. */
  readonly warned: Set<string>;
  readonly accounts: Accounts;
  readonly presence: Presence;
  readonly metrics: Metrics;
  readonly onEvent: (event: ProxyEvent) => void;
  readonly status: () => ProxyStatus;
  readonly mcp?: ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>) | undefined;
  readonly inspect?: ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>) | undefined;
}
