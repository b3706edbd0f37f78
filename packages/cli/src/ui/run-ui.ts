import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInspector, type Inspector, missingPage } from '@holdfast/inspector';
import { boundConnections, maxConnections } from '@holdfast/proxy/connections';
import { type Context, untilEnded } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { portOf } from '../flag-values.ts';
import { ownToken } from '../kept-secret.ts';
import { readStore, type StoreFlags, storeText, trustedStore } from '../sessions/open-store.ts';
import { version } from '../version.ts';
import { inspectorAddress } from './address.ts';
import { modelLookup } from './model-lookup.ts';
import { openPage } from './open-page.ts';

/** The flags of `holdfast ui`. */
export interface UiFlags extends StoreFlags {
  readonly port?: string;
  readonly open: boolean;
}

const HOST = '127.0.0.1';
const PORT = 4143;
/** Far longer than a browser takes to start. */
const OPENED_MS = 60_000;

/** Serves the inspector until Ctrl-C. Throws WrongUse, BAD_CONFIG, and the store's errors. */
export async function runUi(flags: UiFlags, given: Context): Promise<void> {
  const port = portOf(flags.port, PORT);
  const missing = missingPage();
  if (missing !== undefined) throw new WrongUse(missing);
  const context = await trustedStore(flags, given);
  await readStore(flags, context, async (store) => {
    const token = ownToken(context);
    const inspector = createInspector({
      store,
      storeName: storeText(flags, context),
      host: 'ui',
      version: version(),
      token,
      models: modelLookup(),
      log: context.tell,
    });
    const server = await listening(inspector, port, flags.port !== undefined);
    const address = inspectorAddress(`http://${HOST}:${(server.address() as AddressInfo).port}`, token);
    const ended = untilEnded(context);
    context.print(`The inspector is at ${address}`);
    const tidy = flags.open && process.stdout.isTTY ? openPage(address) : () => {};
    const timer = setTimeout(tidy, OPENED_MS);
    await ended;
    clearTimeout(timer);
    tidy();
    await inspector.close();
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
}

/** A server for the inspector. If the default port is taken, it uses a free one. Throws WrongUse. */
async function listening(inspector: Inspector, port: number, isAsked: boolean): Promise<Server> {
  const server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (inspector.serves(path)) return void inspector.listener(request, response);
    request.resume();
    if (path === '/') response.writeHead(302, { location: '/inspect/' }).end();
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('The inspector is at /inspect/\n');
  });
  boundConnections(server, maxConnections());
  const listen = (at: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, HOST, () => {
        server.off('error', reject);
        resolve();
      });
    });
  const { code, message } = await listen(port).then(
    () => ({ code: undefined, message: '' }),
    (error: NodeJS.ErrnoException) => error,
  );
  if (code === undefined) return server;
  if (isAsked && code === 'EADDRINUSE')
    throw new WrongUse(`port ${port} is in use: end the program that has it, or leave out --port to use a free one`);
  if (code !== 'EADDRINUSE') throw new WrongUse(`cannot listen on port ${port}: ${message}`);
  await listen(0);
  return server;
}
