import { useSyncExternalStore } from './external-store.ts';

/** A place in the application: `#/s/k3v9/fold/3?call=12`. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** The current place; rerenders when it changes. */
export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, read));
}

/** A link to a place. Parts are escaped. Pure. */
export function href(parts: readonly (string | number)[], query: Readonly<Record<string, string>> = {}): string {
  const used = Object.entries(query).filter(([, value]) => value !== '');
  const search = new URLSearchParams(used).toString();
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes to a place; `replace` leaves no step to go back to. */
export function go(to: string, replace = false): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  // At once: the browser's own event would come after what the user does next.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Reads an address. Pure. */
function routeOf(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  return { parts: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(search) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function read(): string {
  return location.hash;
}

function subscribe(reader: () => void): () => void {
  addEventListener('hashchange', reader);
  return () => removeEventListener('hashchange', reader);
}
