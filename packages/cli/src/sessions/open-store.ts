import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SessionsConfig } from '@holdfast/agent/config';
import {
  postgres,
  type SessionInfo,
  type SessionStore,
  type SqliteOptions,
  type StoreOptions,
  sqlite,
  storeFiles,
} from '@holdfast/sessions';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { homeOf, openHome } from '../home.ts';
import { loadWithFlags, ownConfig } from '../load-with-flags.ts';
import { ensureTrust, type TrustFlags, type TrustNeeds } from '../trust/ensure-trust.ts';

/** Which store to use. */
export interface StoreFlags {
  readonly store?: string | undefined;
  /** The configuration file that names a store if the flag does not. */
  readonly config?: string | undefined;
}

/** What is done with an open store. */
type Work<T> = (store: SessionStore) => Promise<T>;

/** How long a server's request waits for other writers. No measurement supports it. */
const BUSY_MS = 2_000;

/** A store that exists only in this process. */
const IN_MEMORY = ':memory:';

/**
 * Opens the store that the flags or the configuration name, runs `work`, and closes it. `make` creates a missing store and
 * allows `:memory:`; without it both are WrongUse. Throws BAD_CONFIG.
 */
export async function withStore<T>(
  flags: StoreFlags,
  context: Context,
  work: Work<T>,
  make = false,
  options: StoreOptions = {},
): Promise<T> {
  return await using(await openStore(storeNamed(flags, context), context, make, options), work);
}

/**
 * Opens the store that a flag, the environment or the user's own configuration names, never a folder's, and creates it if
 * missing. Runs `work` and closes it. `false` is a store in memory. Throws BAD_CONFIG.
 */
export async function withOwnStore<T>(store: OwnStore, context: Context, work: Work<T>): Promise<T> {
  return await using(await openStore(ownNamed(store, context), context, true, { busy_ms: BUSY_MS }), work);
}

/** The same store, only to read. Throws BAD_CONFIG, and WrongUse if it does not exist, unless `make` creates an empty one. */
export async function readOwnStore<T>(flags: StoreFlags, context: Context, work: Work<T>, make = false): Promise<T> {
  return await readNamed(ownNamed(flags.store, context), context, work, make);
}

/** Opens the store that `withStore` opens, only to read, and creates an empty one if none was named and it is missing. */
export async function readStore<T>(flags: StoreFlags, context: Context, work: Work<T>): Promise<T> {
  return await readNamed(storeNamed(flags, context), context, work, flags.store === undefined);
}

async function readNamed<T>(named: string | undefined, context: Context, work: Work<T>, make: boolean): Promise<T> {
  if (make && !isServer(named) && !existsSync(storePath(named, context)))
    await (await openStore(named, context, true, {})).close();
  return await using(await openStore(named, context, false, { read_only: true }), work);
}

/** The file that `withOwnStore` keeps; undefined for a server or memory. */
export function ownStoreFile(store: OwnStore, context: Context): string | undefined {
  const named = ownNamed(store, context);
  return named === IN_MEMORY || isServer(named) ? undefined : storePath(named, context);
}

/** The file that `withStore` opens; undefined for a server or memory. */
export function storeFile(flags: StoreFlags, context: Context): string | undefined {
  const named = storeNamed(flags, context);
  return named === IN_MEMORY || isServer(named) ? undefined : storePath(named, context);
}

type OwnStore = string | false | undefined;

function ownNamed(store: OwnStore, context: Context): string | undefined {
  return store === false ? IN_MEMORY : (store ?? ownConfig(context).sessions.store);
}

async function using<T>(store: SessionStore, work: Work<T>): Promise<T> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function openStore(
  named: string | undefined,
  context: Context,
  make: boolean,
  options: SqliteOptions,
): Promise<SessionStore> {
  if (isServer(named)) return await postgres({ url: named, mask_keys: options.mask_keys ?? false });
  if (named === IN_MEMORY && make) return await sqlite(named, options);
  if (named === IN_MEMORY) throw nothingThere();
  const path = storePath(named, context);
  if (!make && !existsSync(path))
    throw new WrongUse(`there are no sessions in ${path}: pass --store to look elsewhere`);
  if (make && named === undefined) openHome(context);
  return await sqlite(path, options);
}

/** True for a Postgres URL. Throws WrongUse for any other URL, without printing it: it may contain a password. */
function isServer(named: string | undefined): named is string {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(named ?? '') ?? [];
  if (scheme === undefined || /^postgres(?:ql)?$/i.test(scheme)) return scheme !== undefined;
  throw new WrongUse(`unknown store ${scheme}://…: expected the path of a file, or postgres://…`);
}

function storePath(named: string | undefined, context: Context): string {
  return named === undefined ? join(homeOf(context), 'sessions.db') : resolve(context.cwd, named);
}

/** Where sessions are kept, for people: a path, or a server without user and password. */
export function storeText(flags: StoreFlags, context: Context): string {
  return textOf(storeNamed(flags, context), context);
}

/** The same for `withOwnStore`. */
export function ownStoreText(store: OwnStore, context: Context): string {
  return textOf(ownNamed(store, context), context);
}

function textOf(named: string | undefined, context: Context): string {
  if (named === IN_MEMORY) return 'in memory';
  if (!isServer(named)) return storePath(named, context);
  const { host = '', pathname = '' } = URL.parse(named) ?? {};
  return `postgres://${host}${pathname}`;
}

/** The files of the configured store, which the model's tools must not reach. */
export function namedStoreFiles(flags: StoreFlags, context: Context): string[] {
  return storeFiles(storeNamed(flags, context)).map((path) => resolve(context.cwd, path));
}

/** Where sessions are kept: the flag, else the environment, else the file; undefined for the default place. */
function storeNamed({ store, config }: StoreFlags, context: Context): string | undefined {
  return store ?? settingsOf({ config }, context).store;
}

/** The `sessions` section of the configuration. Throws BAD_CONFIG. */
export function settingsOf({ config }: Pick<StoreFlags, 'config'>, context: Context): SessionsConfig {
  return loadWithFlags({ ...context, tell: () => {} }, { config }).config.sessions;
}

/**
 * The context of a command that needs only the store from the configuration (and `more` keys). Asks the user to trust them.
 * Throws WrongUse, Interrupted or BAD_CONFIG.
 */
export async function trustedStore(
  flags: StoreFlags & TrustFlags,
  context: Context,
  needs: TrustNeeds = {},
  more: readonly string[] = [],
): Promise<Context> {
  const isNamed = flags.store !== undefined || Boolean(context.env.HOLDFAST_STORE);
  // With --store, a command ignores the configuration, even an invalid one.
  if (isNamed && more.length === 0 && needs.crew === undefined) return { ...context, trusts: false };
  const keys = (key: string) => (key === 'sessions.store' && !isNamed) || more.includes(key);
  return await ensureTrust(context, flags, { ...needs, keys });
}

/** True if the configured store exists only in memory. */
export function isInMemory(flags: StoreFlags, context: Context): boolean {
  return storeNamed(flags, context) === IN_MEMORY;
}

/** Throws WrongUse for a store in memory, where everything is lost at exit. */
export function checkKept(flags: StoreFlags, context: Context): void {
  if (isInMemory(flags, context)) throw nothingThere();
}

function nothingThere(): WrongUse {
  return new WrongUse(
    `the store ${IN_MEMORY} lasts only as long as its process, so it is always empty here: pass a file with --store`,
  );
}

/** True if the store exists. Throws WrongUse for a store in memory. */
export function isThere(flags: StoreFlags, context: Context): boolean {
  checkKept(flags, context);
  const store = storeNamed(flags, context);
  return isServer(store) || existsSync(storePath(store, context));
}

/** The session whose id starts with `prefix`. Throws UNKNOWN_SESSION, and WrongUse for an empty prefix. */
export async function findSession(store: SessionStore, prefix: string): Promise<SessionInfo> {
  if (prefix === '')
    throw new WrongUse('the session id is empty: pass the start of an id from `holdfast sessions list`');
  return await store.find(prefix);
}
