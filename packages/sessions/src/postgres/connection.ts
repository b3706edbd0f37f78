import { HoldfastError, isHoldfastError, maskSecrets } from 'holdfast';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { messageOf } from '../log/broken-entry.ts';

/** How long a call waits for an unreachable server. */
const PATIENCE_MS = 30_000;

/** Connections to a server that may be away for a while. Opens none yet. Throws BAD_CONFIG if `pg` is not installed. */
export async function connections(config: PoolConfig) {
  const pg = await loadDriver();
  const pool: Pool = new pg.Pool({ max: 4, connectionTimeoutMillis: 10_000, ...config });
  // The pool replaces a connection that broke while idle; unhandled, the event would end the process.
  pool.on('error', () => {});
  let closed = false;
  return {
    /**
     * Runs `work` on a connection, and again if that breaks or the server gives way to another writer, for up to `patience` ms.
     * `work` must be repeatable. Throws BAD_STATE, or STORE_CONFLICT if others kept writing.
     */
    async run<T>(work: (client: PoolClient) => Promise<T>, patience = PATIENCE_MS): Promise<T> {
      for (const deadline = Date.now() + patience, waits = backoff(); ; ) {
        try {
          return await once(pool, work);
        } catch (error) {
          if (isHoldfastError(error)) throw error;
          const mayPass = isGone(error) || isCrossed(error);
          if (closed || !mayPass || Date.now() > deadline) throw told(error);
        }
        await new Promise((resolve) => setTimeout(resolve, waits.next().value));
      }
    },
    async close(): Promise<void> {
      if (closed) return;
      closed = true;
      await pool.end();
    },
  };
}

async function loadDriver() {
  try {
    return (await import('pg')).default;
  } catch (error) {
    throw new HoldfastError('BAD_CONFIG', 'sessions on Postgres need the package pg: run `npm install pg`', {}, error);
  }
}

async function once<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: unknown;
  const onError = (error: unknown) => {
    failure = error;
  };
  client.on('error', onError);
  try {
    return await work(client);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.off('error', onError);
    client.release(failure !== undefined && !isHoldfastError(failure) && !isCrossed(failure));
  }
}

function* backoff(): Generator<number, never> {
  for (let wait = 20; ; wait = Math.min(1_000, wait * 2)) yield wait;
}

/** Codes that mean that the server is away, not that the query is wrong. */
const GONE = /^(?:08\w{3}|57P0[123]|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;

function isGone(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return GONE.test(code);
  const nested = (error as { errors?: unknown }).errors;
  if (Array.isArray(nested)) return nested.some(isGone);
  return /connection (?:terminated|timeout|ended)|timeout exceeded when trying to connect|not queryable/i.test(
    messageOf(error),
  );
}

/** True if the server rolled a transaction back for another one's sake: a serialization failure or a deadlock. */
function isCrossed(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === '40001' || code === '40P01';
}

function told(error: unknown): HoldfastError {
  if (isCrossed(error))
    return new HoldfastError('STORE_CONFLICT', 'postgres: others keep writing to the same rows: retry', {}, error);
  const { code = 'no code' } = error as { code?: unknown };
  const reason = messageOf(error) || 'no answer';
  const advice = isGone(error) ? 'is the server running, and is the address right?' : 'nothing was changed';
  return new HoldfastError('BAD_STATE', maskSecrets(`postgres: ${reason} (${code}): ${advice}`), {}, error);
}
