import type { Problem } from '../../src/api/types.ts';

/** A refused or failed request; the message is for people. `status` is 0 if the server cannot be reached. */
export class ApiProblem extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const KEY = 'holdfast-token';
// Relative to this script, so that the application works under any path.
const OWN = new URL('api/', import.meta.url);
/** The routes of `holdfast serve`, next to the application's folder. */
export const SERVE = new URL('../api/', import.meta.url);

let token = kept();

/** True if requests carry a token, right or wrong. */
export function hasToken(): boolean {
  return token !== '';
}

/** Keeps the server's token for this tab. */
export function setToken(text: string): void {
  token = text;
  try {
    sessionStorage.setItem(KEY, text);
  } catch {
    // Without storage, the token lasts as long as the page.
  }
}

/** Sends a request with the token. Throws ApiProblem. */
export async function ask(path: string, init: RequestInit = {}, base: URL = OWN): Promise<Response> {
  const headers = {
    ...(init.headers as Record<string, string>),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  };
  const response = await fetch(new URL(path, base), { ...init, headers }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiProblem(0, 'The server cannot be reached. Is it still running?');
  });
  if (response.ok) return response;
  const { detail } = await response.json().catch(() => ({}) as Partial<Problem>);
  throw new ApiProblem(response.status, detail ?? `The server answered ${response.status}.`);
}

/** A JSON answer. Throws ApiProblem. */
export async function get<T>(path: string, signal?: AbortSignal, base?: URL): Promise<T> {
  return (await ask(path, signal ? { signal } : {}, base)).json();
}

/** Posts JSON, for a JSON answer. Throws ApiProblem. */
export async function post<T>(path: string, body: unknown, base?: URL): Promise<T> {
  return (await ask(path, jsonBody(body), base)).json();
}

/** A POST with a JSON body. Pure. */
export function jsonBody(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The token of the address (`#token=…`), which is removed from it, or that of this tab. */
function kept(): string {
  const given = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (given !== undefined) {
    history.replaceState(null, '', location.pathname);
    queueMicrotask(() => setToken(decodeURIComponent(given)));
    return decodeURIComponent(given);
  }
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}
