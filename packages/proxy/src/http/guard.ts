import type { IncomingMessage } from 'node:http';
import type { Refusal } from './api-error.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i;

/** True for a name or address that only this machine can reach. Pure. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** For clients that use the proxy as an HTTP proxy. */
export const NOT_A_PATH: Refusal = {
  status: 400,
  message: 'the request target must be a path: set this proxy as base URL, not as HTTP proxy',
};

/**
 * Why a request must not be served; undefined if it may. Web pages can send requests to local ports, directly or through a
 * host name that they point at this machine (DNS rebinding): the first kind names its `Origin`, or that it comes from another
 * site, the second a foreign `Host`.
 */
export function guard({ headers, url = '' }: IncomingMessage, port: number): Refusal | undefined {
  const { origin, 'sec-fetch-site': site } = headers;
  const isPage = origin === undefined ? /^(?:cross|same)-site$/.test(String(site)) : /^(?:https?:|null$)/i.test(origin);
  if (isPage)
    return {
      status: 403,
      message: 'web pages may not use this proxy; call it from a program that sends no Origin header',
    };
  const [, name = '', named = '80'] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(headers.host ?? '') ?? [];
  if (!isLoopback(name) || Number(named) !== port)
    return {
      status: 403,
      message: `the Host header must name this proxy: use http://127.0.0.1:${port} as the base URL`,
    };
  return url.startsWith('/') ? undefined : NOT_A_PATH;
}
