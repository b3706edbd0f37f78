import { onTestFinished } from 'vitest';
import { createInspector, type Inspector, type InspectorOptions } from '../src/index.ts';

export const TOKEN = 'a-token-of-this-test';

/** An inspector that goes with the test. */
export function newInspector(options: Partial<InspectorOptions> = {}): Inspector {
  const inspector = createInspector({ host: 'ui', version: '0.1.0', token: TOKEN, ...options });
  onTestFinished(() => inspector.close());
  return inspector;
}

const HEADERS = { host: '127.0.0.1:4143', authorization: `Bearer ${TOKEN}` };

/** The answer to a request for a path of the API. */
export async function ask(
  inspector: Pick<Inspector, 'fetch'>,
  path: string,
  init: RequestInit & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const headers = { ...HEADERS, ...init.headers };
  return await inspector.fetch(new Request(`http://127.0.0.1:4143/inspect/api/${path}`, { ...init, headers }));
}

/** The JSON of an answer that must be 2xx. */
export async function get<T>(
  inspector: Pick<Inspector, 'fetch'>,
  path: string,
  init?: Parameters<typeof ask>[2],
): Promise<T> {
  const response = await ask(inspector, path, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** The status and the detail of a refused request. */
export async function refused(inspector: Pick<Inspector, 'fetch'>, path: string, init?: Parameters<typeof ask>[2]) {
  const response = await ask(inspector, path, init);
  const { detail = '' } = (await response.json().catch(() => ({}))) as { readonly detail?: string };
  return { status: response.status, detail };
}
