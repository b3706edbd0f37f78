import { createHash, timingSafeEqual } from 'node:crypto';

/** What a check needs to know of a request. */
export interface Caller {
  /** A request for the page, which does nothing by itself. */
  readonly isPage?: boolean;
  header(name: string): string | undefined;
}

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/** True if the host that a request names is this machine's loopback address. Otherwise a site may have pointed its own name here. Pure. */
export function isLoopbackHost(host: string | undefined): boolean {
  return LOOPBACK.test(host ?? '');
}

/** True for a request sent by a page of another site. Following a link is not one. Pure. */
export function isForeignSite(caller: Caller): boolean {
  if (caller.isPage && caller.header('sec-fetch-mode') === 'navigate') return false;
  const site = caller.header('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site' || !isOwn(caller.header('origin'), caller.header('host'));
}

/** True without an origin (programs send none) and for the origin of the requested host, with or without TLS in between. */
function isOwn(origin: string | undefined, host = ''): boolean {
  if (origin === undefined) return true;
  const [, scheme = ''] = /^(https?:\/\/)[^/?#@]+$/i.exec(origin) ?? [];
  const own = URL.parse(scheme + host)?.host;
  return scheme !== '' && host !== '' && own !== undefined && own === URL.parse(origin)?.host;
}

/** True if the request has the token as `authorization: Bearer …`. The time it takes does not depend on the text. Pure. */
export function hasToken(caller: Caller, token: string): boolean {
  const [, given = ''] = /^Bearer (.+)$/i.exec(caller.header('authorization') ?? '') ?? [];
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
