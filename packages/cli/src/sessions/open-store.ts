import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SessionsConfig } from '@holdfast/agent/config';
import {
  postgres,
  type SessionInfo,
  type SessionStore,
  type StoreOptions,
  sqlite,
  storeFiles,
} from '@holdfast/sessions';
import { loadWithFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { homeOf, openHome } from '../home.ts';
import { type Obeyed, settleTrust, type TrustFlags } from '../trust/settle.ts';

/** Which store. */
export interface StoreFlags {
  readonly store?: string;
  /** The configuration that names one, where the flag does not. */
  readonly config?: string;
}

/** A store that ends with its process, and is never on a disk. */
const IN_MEMORY = ':memory:';

/**
 * Works with the store that the flags or the configuration name and closes it. `make`: a file that is not there is made, and
 * `:memory:` is a new store; otherwise that is WrongUse. Throws BAD_CONFIG.
 */
export async function withStore<T>(
  flags: StoreFlags,
  context: Context,
  work: (store: SessionStore) => Promise<T>,
  make = false,
  options: StoreOptions = {},
): Promise<T> {
  const store = await openStore(storeNamed(flags, context), context, make, options);
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
  options: StoreOptions,
): Promise<SessionStore> {
  if (isServer(named)) return await postgres({ url: named, ...options });
  if (named === IN_MEMORY && make) return await sqlite(named, options);
  if (named === IN_MEMORY) throw nothingThere();
  const path = storePath(named, context);
  if (!make && !existsSync(path))
    throw new WrongUse(`there are no sessions in ${path}: pass --store to look elsewhere`);
  if (make && named === undefined) openHome(context);
  return await sqlite(path, options);
}

/** True for the address of a server. Throws WrongUse for that of another kind, which is no path: it may hold a password. */
function isServer(named: string | undefined): named is string {
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(named ?? '') ?? [];
  if (scheme === undefined || /^postgres(?:ql)?$/i.test(scheme)) return scheme !== undefined;
  throw new WrongUse(`unknown store ${scheme}://…: expected the path of a file, or postgres://…`);
}

function storePath(named: string | undefined, context: Context): string {
  return named === undefined ? join(homeOf(context), 'sessions.db') : resolve(context.cwd, named);
}

/** The files of the store that the flags or the configuration name, which no tool of a model may reach. */
export function namedStoreFiles(flags: StoreFlags, context: Context): string[] {
  return storeFiles(storeNamed(flags, context)).map((path) => resolve(context.cwd, path));
}

/** Where sessions are kept: what the flag says, else the environment, else the file; undefined for the usual place. */
function storeNamed({ store, config }: StoreFlags, context: Context): string | undefined {
  return store ?? settingsOf(config === undefined ? {} : { config }, context).store;
}

/** What the configuration says of sessions. Throws BAD_CONFIG. */
export function settingsOf({ config }: Pick<StoreFlags, 'config'>, context: Context): SessionsConfig {
  const named = config === undefined ? {} : { config };
  return loadWithFlags({ ...context, tell: () => {} }, named).config.sessions;
}

/**
 * The context of a command that obeys nothing of a configuration but which store there is (and `more` keys). Throws WrongUse,
 * Interrupted or BAD_CONFIG.
 */
export async function trustedStore(
  flags: StoreFlags & TrustFlags,
  context: Context,
  obeyed: Obeyed = {},
  more: readonly string[] = [],
): Promise<Context> {
  const isNamed = flags.store !== undefined || Boolean(context.env.HOLDFAST_STORE);
  // With a store of its own, a command does not care whether there is a configuration, or a good one.
  if (isNamed && more.length === 0 && obeyed.crew === undefined) return { ...context, trusts: false };
  const keys = (key: string) => (key === 'sessions.store' && !isNamed) || more.includes(key);
  return await settleTrust(context, flags, { ...obeyed, keys });
}

/** True if the flags or the configuration name a store that ends with this process. */
export function isInMemory(flags: StoreFlags, context: Context): boolean {
  return storeNamed(flags, context) === IN_MEMORY;
}

/** Throws WrongUse for a store that ends with this process: what is put there is lost. */
export function checkKept(flags: StoreFlags, context: Context): void {
  if (isInMemory(flags, context)) throw nothingThere();
}

function nothingThere(): WrongUse {
  return new WrongUse(
    `the store ${IN_MEMORY} lasts only as long as its process, so it is always empty here: pass a file with --store`,
  );
}

/** True if there is a store to look into. Throws WrongUse for one that ends with this process. */
export function isThere(flags: StoreFlags, context: Context): boolean {
  checkKept(flags, context);
  const store = storeNamed(flags, context);
  return isServer(store) || existsSync(storePath(store, context));
}

/** The session whose id begins so. Throws WrongUse for '', with which all begin, and UNKNOWN_SESSION. */
export async function findSession(store: SessionStore, prefix: string): Promise<SessionInfo> {
  if (prefix === '')
    throw new WrongUse('the session id is empty: pass the start of an id from `holdfast sessions list`');
  return await store.find(prefix);
}

/** A whole number from 1 on; throws WrongUse with the flag's name. */
export function countOf(text: string | undefined, flag: string, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new WrongUse(`invalid ${flag} "${text}": expected a whole number from 1 up`);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of `90d`, `12w`, `36h`, `30m`; throws WrongUse with the flag's name. */
export function timeOf(text: string, flag: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count === undefined)
    throw new WrongUse(`invalid ${flag} "${text}": expected a duration such as 90d, 12w, 36h or 30m`);
  return Number(count) * (UNITS[unit] ?? 0);
}
