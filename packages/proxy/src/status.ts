import type { Vendor } from './http/api-error.ts';
import type { ConversationAccount, Totals } from './usage/accounts.ts';

/** What `/holdfast/status` shows. */
export interface ProxyStatus {
  readonly url: string;
  readonly upstreams: Readonly<Record<Vendor, string>>;
  /** Undefined: each model has its default budget. */
  readonly max_tokens: number | undefined;
  /** When it was created: milliseconds since 1970. */
  readonly since: number;
  /** Requests that are running. */
  readonly active: number;
  readonly totals: Totals;
  /** The latest first. */
  readonly conversations: readonly ConversationAccount[];
}
