import { createHash, timingSafeEqual } from 'node:crypto';
import { RequestProblem } from './problem.ts';

/** What the gate needs to know about a request. */
export interface Caller {
  readonly address: string;
  /** A request for the page, which does nothing by itself. */
  readonly isPage?: boolean;
  header(name: string): string | undefined;
}

export interface GateOptions {
  /** Undefined: no token needed, on loopback only. */
  readonly token?: string;
  /** The server only listens on loopback. */
  readonly loopback: boolean;
  /** Requests per minute from one address; 0 = no limit. */
  readonly rate: number;
  readonly now?: () => number;
}

/** Checks requests; each check throws RequestProblem. */
export type Gate = ReturnType<typeof createGate>;

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
/** Addresses to remember; the oldest are forgotten first. */
const MOST = 10_000;

export function createGate({ token, loopback, rate, now = Date.now }: GateOptions) {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    asksToken: token !== undefined,
    /** The host and the origin, for all paths. */
    host(caller: Caller): void {
      // Against DNS rebinding: another site's name may resolve to this machine.
      if (loopback && token === undefined && !LOOPBACK.test(caller.header('host') ?? ''))
        throw new RequestProblem(421, 'this server only answers to localhost');
      // Any site may link to the page.
      if (caller.isPage && caller.header('sec-fetch-mode') === 'navigate') return;
      const site = caller.header('sec-fetch-site');
      if (site === 'cross-site' || site === 'same-site' || !isOwn(caller.header('origin'), caller.header('host')))
        throw new RequestProblem(403, 'pages of other sites may not use this server');
    },
    /** The token, for all but health and the page. */
    token(caller: Caller): void {
      if (token === undefined) return;
      const [, given = ''] = /^Bearer (.+)$/i.exec(caller.header('authorization') ?? '') ?? [];
      if (isSame(given, token)) return;
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

/** True without an origin (programs send none) and for the origin of the requested host, with or without TLS in between. */
function isOwn(origin: string | undefined, host = ''): boolean {
  if (origin === undefined) return true;
  const [, scheme = ''] = /^(https?:\/\/)[^/?#@]+$/i.exec(origin) ?? [];
  const own = URL.parse(scheme + host)?.host;
  return scheme !== '' && host !== '' && own !== undefined && own === URL.parse(origin)?.host;
}

/** Compares hashes, so that the time does not depend on the text. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
