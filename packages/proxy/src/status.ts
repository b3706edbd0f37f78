import type { Vendor } from './http/api-error.ts';

/** What `/holdfast/status` shows. */
export interface ProxyStatus {
  readonly url: string;
  readonly upstreams: Readonly<Record<Vendor, string>>;
  /** Requests that are running. */
  readonly active: number;
}
