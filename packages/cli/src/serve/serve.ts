import { createCrewMetrics } from '@holdfast/crew';
import type { SessionStore } from '@holdfast/sessions';
import { maskSecrets } from 'holdfast';
import type { Context } from '../context.ts';
import { type CrewFlags, openCrewFile } from '../crew/open.ts';
import { EXIT } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { namedStoreFiles, storeText, trustedStore, withStore } from '../sessions/open-store.ts';
import { INPUT_LIMITS } from './api/input-schemas.ts';
import { type CrewServer, isLoopback, startServer } from './server.ts';

type Flag = 'port' | 'host' | 'store' | 'maxConcurrent' | 'rate' | 'grace' | 'resume' | 'maxBody' | 'maxMemory';

/** The flags of `holdfast serve`. */
export type ServeFlags = CrewFlags & { readonly [F in Flag]?: string };

/** Serves a crew until it is stopped. Throws WrongUse, BAD_CONFIG, and the store's errors. */
export async function serveCrew(path: string, flags: ServeFlags, given: Context): Promise<void> {
  const { host = '127.0.0.1', maxMemory } = flags;
  const settings = {
    host,
    port: countOf(flags.port, '--port', 4141, 65_535),
    ...tokenFor(host, given.env),
    rate: countOf(flags.rate, '--rate', 600, 1e9),
    resumeMs: 1_000 * countOf(flags.resume, '--resume', 10, 3_600),
    validator: { maxBytes: 1e6 * countOf(flags.maxBody, '--max-body', INPUT_LIMITS.maxBytes / 1e6, 500, 1) },
    maxConcurrent: countOf(flags.maxConcurrent, '--max-concurrent', 256, 1e6),
    ...(maxMemory === undefined ? {} : { maxMemory: 1e6 * countOf(maxMemory, '--max-memory', 0, 1e6) }),
  };
  const grace_ms = 1_000 * countOf(flags.grace, '--grace', 30, 86_400);
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

function tokenFor(host: string, env: Context['env']): { readonly token?: string } {
  const token = env.HOLDFAST_SERVE_TOKEN || undefined;
  if (token === undefined && !isLoopback(host))
    throw new WrongUse(
      `other machines can reach --host ${host}: set HOLDFAST_SERVE_TOKEN to a token that clients must send`,
    );
  if (token !== undefined && token.length < 16)
    throw new WrongUse('HOLDFAST_SERVE_TOKEN is too short: use at least 16 characters');
  return token === undefined ? {} : { token };
}

function countOf(text: string | undefined, flag: string, otherwise: number, most: number, least = 0): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}$/.test(text) && Number(text) <= most && Number(text) >= least) return Number(text);
  throw new WrongUse(`invalid ${flag} ${text}: expected a whole number from ${least} to ${most}`);
}
