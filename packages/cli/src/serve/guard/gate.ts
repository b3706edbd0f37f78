import { hasToken, isForeignSite, isLoopbackHost, type Caller as SiteCaller } from '@holdfast/inspector';
import { RequestProblem } from './problem.ts';

/** What the gate needs to know about a request. */
export interface Caller extends SiteCaller {
  readonly address: string;
}

export interface GateOptions {
  readonly token: string;
  /** False: the server only answers to localhost. */
  readonly anyHost: boolean;
  /** Requests per minute from one address; 0 = no limit. */
  readonly rate: number;
  readonly now?: () => number;
}

/** Checks requests; each check throws RequestProblem. */
export type Gate = ReturnType<typeof createGate>;

/** Addresses to remember; the oldest are forgotten first. */
const MOST = 10_000;

export function createGate({ token, anyHost, rate, now = Date.now }: GateOptions) {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    /** The host and the origin, for all paths. */
    host(caller: Caller): void {
      // Against DNS rebinding: another site's name may resolve to this machine.
      if (!anyHost && !isLoopbackHost(caller.header('host')))
        throw new RequestProblem(421, 'this server only answers to localhost');
      if (isForeignSite(caller)) throw new RequestProblem(403, 'pages of other sites may not use this server');
    },
    /** The token, for all but health, readiness and the page: other users of the machine can reach the port, too. */
    token(caller: Caller): void {
      if (hasToken(caller, token)) return;
      throw new RequestProblem(401, 'send the server token as "authorization: Bearer …"', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    },
    /** The rate, for requests that cost money. */
    rate({ address }: Caller): void {
      if (rate === 0) return;
      const time = now();
      const bucket = buckets.get(address) ?? { left: rate, at: time };
      const left = Math.min(rate, bucket.left + ((time - bucket.at) * rate) / 60_000);
      buckets.delete(address);
      // A refused request costs nothing; otherwise no request would pass under constant overload.
      buckets.set(address, { left: left >= 1 ? left - 1 : left, at: time });
      if (buckets.size > MOST) buckets.delete(buckets.keys().next().value ?? '');
      if (left >= 1) return;
      const wait = Math.ceil(((1 - left) * 60) / rate);
      throw new RequestProblem(429, `more than ${rate} requests per minute: retry after ${wait} s`, {
        headers: { 'retry-after': String(wait) },
      });
    },
  };
}
