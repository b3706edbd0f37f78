import { createHash, timingSafeEqual } from 'node:crypto';
import { RequestProblem } from './problem.ts';

/** What the gate must know of a request. */
export interface Caller {
  readonly address: string;
  /** It asks for the page, which does nothing by itself. */
  readonly isPage?: boolean;
  header(name: string): string | undefined;
}

export interface GateOptions {
  /** Undefined: none is asked for, which is only so on loopback. */
  readonly token?: string;
  /** The server listens on loopback alone. */
  readonly loopback: boolean;
  /** Requests that one address may make in a minute; 0 = no limit. */
  readonly rate: number;
  readonly now?: () => number;
}

/** Lets requests in, or throws RequestProblem. */
export interface Gate {
  readonly asksToken: boolean;
  /** For all paths: who was meant. */
  host(caller: Caller): void;
  /** For all but health and the page: who asks. */
  token(caller: Caller): void;
  /** For what costs money: how often. */
  rate(caller: Caller): void;
}

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
/** More addresses than this are forgotten, the oldest first. */
const MOST = 10_000;

export function createGate({ token, loopback, rate, now = Date.now }: GateOptions): Gate {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    asksToken: token !== undefined,
    host(caller) {
      // A page of another site may have had its name lead here.
      if (loopback && token === undefined && !LOOPBACK.test(caller.header('host') ?? ''))
        throw new RequestProblem(421, 'this server answers to localhost alone');
      // A link may lead to the page from anywhere.
      if (caller.isPage && caller.header('sec-fetch-mode') === 'navigate') return;
      const site = caller.header('sec-fetch-site');
      if (site === 'cross-site' || site === 'same-site' || !isOwn(caller.header('origin'), caller.header('host')))
        throw new RequestProblem(403, 'pages of other sites may not ask this server');
    },
    token(caller) {
      if (token === undefined) return;
      const [, given = ''] = /^Bearer (.+)$/i.exec(caller.header('authorization') ?? '') ?? [];
      if (isSame(given, token)) return;
      throw new RequestProblem(401, 'give the token of this server as "authorization: Bearer …"', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    },
    rate({ address }) {
      if (rate === 0) return;
      const time = now();
      const bucket = buckets.get(address) ?? { left: rate, at: time };
      const left = Math.min(rate, bucket.left + ((time - bucket.at) * rate) / 60_000);
      buckets.delete(address);
      // Who is refused keeps what has grown: else nobody would pass under steady overload.
      buckets.set(address, { left: left >= 1 ? left - 1 : left, at: time });
      if (buckets.size > MOST) buckets.delete(buckets.keys().next().value ?? '');
      if (left >= 1) return;
      const wait = Math.ceil(((1 - left) * 60) / rate);
      throw new RequestProblem(429, `${rate} requests a minute are allowed: wait ${wait} s`, {
        headers: { 'retry-after': String(wait) },
      });
    },
  };
}

/** True for no origin, as programs ask, and for that of the host that the request names, whatever speaks TLS in between. */
function isOwn(origin: string | undefined, host = ''): boolean {
  if (origin === undefined) return true;
  const [, scheme = ''] = /^(https?:\/\/)[^/?#@]+$/i.exec(origin) ?? [];
  const own = URL.parse(scheme + host)?.host;
  return scheme !== '' && host !== '' && own !== undefined && own === URL.parse(origin)?.host;
}

/** Takes as long for any text: hashes of one length are compared, whatever was given. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
