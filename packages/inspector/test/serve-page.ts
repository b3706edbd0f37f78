import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SessionStore, sqlite } from '@holdfast/sessions';
import { createInspector, type InspectorOptions } from '../src/index.ts';

/** A server with the application and its API, and a store of its own. */
export interface ServedPage {
  /** Ends with a slash. */
  readonly url: string;
  readonly origin: string;
  readonly store: SessionStore;
  close(): Promise<void>;
}

/** Serves the inspector as `holdfast ui` does. */
export async function servePage(options: Partial<InspectorOptions> = {}): Promise<ServedPage> {
  const store = await sqlite(':memory:');
  const inspector = createInspector({ host: 'ui', version: '0.1.0', store, pollMs: 100, ...options });
  const server = createServer((request, response) => void inspector.listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/inspect/`,
    origin,
    store,
    async close() {
      await inspector.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
    },
  };
}
