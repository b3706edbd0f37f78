import type { Vendor } from './http/api-error.ts';

/** What a proxy tells its owner. Contains no text of a conversation, no header and no key. */
export type ProxyEvent =
  /** The proxy answered a request itself. */
  | { readonly type: 'request-refuse'; readonly status: number; readonly message: string }
  /** An upstream could not be reached, or hung up before it answered. */
  | { readonly type: 'upstream-fail'; readonly upstream: Vendor; readonly message: string };
