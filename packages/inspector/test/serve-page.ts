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
  /** Ends all connections, and takes no more until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** Serves the inspector as `holdfast ui` does. */
export async function servePage(options: Partial<InspectorOptions> = {}): Promise<ServedPage> {
  const store = await sqlite(':memory:');
  const inspector = createInspector({ host: 'ui', version: '0.1.0', store, pollMs: 100, ...options });
  const server = createServer((request, response) => void inspector.listener(request, response));
  const listen = (port: number) => new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const pause = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/inspect/`,
    origin,
    store,
    pause,
    resume: () => listen(port),
    async close() {
      await inspector.close();
      await pause();
      await store.close();
    },
  };
}
