import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProxyEvent } from './events.ts';
import type { Vendor } from './http/api-error.ts';
import type { ProxyLimits } from './options.ts';
import type { ProxyStatus } from './status.ts';
import type { Sender } from './upstream/send.ts';
import type { Upstream } from './upstream/upstreams.ts';

/** What serving a request needs of the proxy. */
export interface Parts {
  /** The port it listens on. */
  readonly port: () => number;
  readonly upstreams: Readonly<Record<Vendor, Upstream>>;
  readonly sender: Sender;
  readonly limits: ProxyLimits;
  /** How many requests are running. */
  readonly active: { requests: number };
  readonly onEvent: (event: ProxyEvent) => void;
  readonly status: () => ProxyStatus;
  readonly mcp?: ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>) | undefined;
}
