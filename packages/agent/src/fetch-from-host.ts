import { HoldfastError } from 'holdfast';

const FOLLOWED: readonly number[] = [301, 302, 303, 307, 308];
/** Redirects that keep the method and the body. */
const UNCHANGED: readonly number[] = [307, 308];
const HOPS = 5;

/**
 * `fetch` that follows redirects only on the same server: keys, and what was said, go to no other. Throws PROVIDER_FAILED, which
 * names the other one, for all other redirects.
 */
export async function fetchFromHost(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  // A request's body can be read once; it is text in all of ours.
  const request =
    input instanceof Request ? { url: input.url, init: await partsOf(input, init) } : { url: input, init };
  const redirect = request.init?.redirect === 'error' ? 'error' : 'manual';
  let url = new URL(request.url);
  for (let hops = 0; ; hops++) {
    const response = await fetch(url, { ...request.init, redirect });
    const location = FOLLOWED.includes(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
    const method = (request.init?.method ?? 'GET').toUpperCase();
    const isSame = next !== undefined && (UNCHANGED.includes(response.status) || method === 'GET' || method === 'HEAD');
    if (!isSame || !isSameServer(url, next) || hops === HOPS) throw refused(url, next);
    url = next;
  }
}

async function partsOf(request: Request, init: RequestInit | undefined): Promise<RequestInit> {
  const { method, headers, signal } = request;
  const body = request.body ? { body: await request.text() } : {};
  return { method, headers, signal, ...body, ...init };
}

/** The same origin, or the same host with encryption. */
function isSameServer(from: URL, to: URL): boolean {
  return from.origin === to.origin || (from.host === to.host && from.protocol === 'http:' && to.protocol === 'https:');
}

function refused(from: URL, to: URL | undefined): HoldfastError {
  const place = to ? to.origin + to.pathname : 'no address';
  const text = `${from.origin + from.pathname} redirects to ${place}, where nothing was sent: if you trust it, use it as the base URL`;
  return new HoldfastError('PROVIDER_FAILED', text);
}
