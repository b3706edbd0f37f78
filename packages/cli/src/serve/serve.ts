import { createCrewMetrics } from '@holdfast/crew';
import type { SessionStore } from '@holdfast/sessions';
import { maskSecrets } from 'holdfast';
import type { Context } from '../context.ts';
import { type CrewFlags, openCrewFile } from '../crew/open.ts';
import { EXIT } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { countOf, portOf } from '../flag-values.ts';
import { givenToken, ownToken } from '../kept-secret.ts';
import { namedStoreFiles, storeText, trustedStore, withStore } from '../sessions/open-store.ts';
import { INPUT_LIMITS } from './api/input-schemas.ts';
import { type CrewServer, isLoopback, type ServerSetup, startServer } from './server.ts';

type Flag = 'port' | 'host' | 'store' | 'maxConcurrent' | 'rate' | 'grace' | 'resume' | 'maxBody' | 'maxMemory';

/** The flags of `holdfast serve`. */
export type ServeFlags = CrewFlags & { readonly [F in Flag]?: string };

/** Serves a crew until it is stopped. Throws WrongUse, BAD_CONFIG, and the store's errors. */
export async function serveCrew(path: string, flags: ServeFlags, given: Context): Promise<void> {
  const { host = '127.0.0.1', maxMemory } = flags;
  const settings = {
    host,
    port: portOf(flags.port, 4141),
    ...tokenFor(host, given),
    rate: countOf(flags.rate, '--rate', 600, 0, 1e9),
    resumeMs: 1_000 * countOf(flags.resume, '--resume', 10, 0, 3_600),
    validator: { maxBytes: 1e6 * countOf(flags.maxBody, '--max-body', INPUT_LIMITS.maxBytes / 1e6, 1, 500) },
    maxConcurrent: countOf(flags.maxConcurrent, '--max-concurrent', 256, 0, 1e6),
    ...(maxMemory === undefined ? {} : { maxMemory: 1e6 * countOf(maxMemory, '--max-memory', 0, 0, 1e6) }),
  };
  const grace_ms = 1_000 * countOf(flags.grace, '--grace', 30, 0, 86_400);
  const context = await trustedStore(flags, given, { crew: path });
  const metrics = await createCrewMetrics();
  const log = (line: string) => context.tell(maskSecrets(line));
  const logger = { debug() {}, info: log, warn: log };
  const crew = await openCrewFile(path, flags, context, {
    onEvent: metrics.observe,
    logger,
    unreachable: namedStoreFiles(flags, context),
  });
  let isForced = false;
  try {
    const inStore = async (store: SessionStore) => {
      const storeName = storeText(flags, context);
      const server = await startServer({ ...settings, executor: crew.executor, store, storeName, metrics, log });
      // A program may stop the server as soon as it reads the address.
      const end = ended(server, grace_ms);
      for (const line of [...crew.notice, ...crew.warnings]) context.tell(line);
      context.print(server.url);
      context.tell(`to talk to the crew and see what it sees, open ${server.inspector}`);
      isForced = await end;
    };
    await withStore(flags, context, inStore, true);
  } finally {
    await crew.close();
    if (isForced) context.end(EXIT.interrupted);
    // Everything is closed; do not wait for connections to models.
    if (isForced) setTimeout(() => process.exit(EXIT.interrupted), SOON_MS).unref();
  }
}

/** Waits for Ctrl-C or SIGTERM, then for running requests. A second signal cancels those, and the result is true. */
function ended(server: Pick<CrewServer, 'close'>, grace_ms: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let times = 0;
    const end = () => {
      times++;
      if (times > 2) return;
      void server.close(times === 1 ? grace_ms : 0).then(done, reject);
      // Something that ignores its signal may keep the process alive.
      if (times === 2) setTimeout(() => process.exit(EXIT.interrupted), LAST_MS).unref();
    };
    const done = () => {
      process.off('SIGINT', end).off('SIGTERM', end);
      resolve(times > 1);
    };
    process.on('SIGINT', end).on('SIGTERM', end);
  });
}

/** Time to exit after the second signal. */
const LAST_MS = 2_500;
const SOON_MS = 100;

function tokenFor(host: string, context: Context): Pick<ServerSetup, 'token' | 'isTokenGiven'> {
  const given = givenToken(context);
  if (given !== undefined) return { token: given, isTokenGiven: true };
  if (isLoopback(host)) return { token: ownToken(context) };
  throw new WrongUse(
    `other machines can reach --host ${host}: set HOLDFAST_SERVE_TOKEN to a token that clients must send`,
  );
}
