import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { configuredBudget, isHoldfastError } from 'holdfast';
import { defined } from '../defined.ts';
import { PROVIDERS } from '../providers/index.ts';
import { realPath } from '../tools/files/real-path.ts';
import { checkWord } from './check-value.ts';
import type { Claim, HoldfastConfig, LoadedConfig, ValueSource } from './config.ts';
import { findConfigFile, isShared, isThere, readConfigFile, shownPath } from './files.ts';
import { keysWithoutEffect } from './idle-keys.ts';
import { KEYS } from './key-index.ts';
import { parseYaml } from './parse-yaml.ts';
import { type Problem, problemsError } from './problem.ts';
import { type Given, otherNamesOf, type Reading, readDocument } from './read-document.ts';
import { holdsKey, KEY_ADVICE } from './secrets.ts';

/** A value from the command line, and its flag. */
export interface FlagValue {
  readonly value: unknown;
  readonly flag: string;
}

/** Where to look for a configuration, and what overrides it. */
export interface LoadOptions {
  readonly cwd: string;
  /** The file to read. Default: see `findConfigFile`. */
  readonly path?: string | undefined;
  /** Reads no file of the folder, only the user's own. */
  readonly userOnly?: boolean;
  /** The user's own configuration, which the folder's overrides; it need not exist. Default: none. */
  readonly user?: string;
  /**
   * Whether the user trusts the folder. If not, its file sets only what is harmless (`isHarmless`); the rest is only listed in
   * `claims`. Default true: a program that calls this vouches for the folder.
   */
  readonly trusted?: boolean;
  /** By dotted key, such as `provider.type`; undefined values are ignored. */
  readonly flags?: Readonly<Record<string, FlagValue>>;
  /** Default: no variable is read. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

interface Valued {
  readonly value: unknown;
  readonly source: ValueSource;
  readonly place: string;
}

/**
 * The effective configuration: flags override the environment, which overrides the folder's file, which overrides the user's own,
 * which overrides defaults. Throws BAD_CONFIG with every problem, one per line, with file, line and column.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const { cwd, path, user, userOnly = false, flags = {}, env = {}, trusted = true } = options;
  const own = user !== undefined && isThere(user) ? user : undefined;
  const named = path === undefined ? findConfigFile(cwd) : resolve(cwd, path);
  const file = userOnly ? undefined : named;
  // The user may name their own with a flag.
  const isOwn = file !== undefined && own !== undefined && realPath(file) === realPath(own);
  const files = [own, isOwn ? undefined : file].map((one) => readLayer(one, cwd));
  if (own !== undefined) refuseForeign(own);
  const [beneath = EMPTY, folder = EMPTY] = files;
  const claims = claimsOf(folder);
  const heard = trusted ? folder.values : without(folder.values, claims);
  const values = new Map([...beside(beneath.values, heard), ...heard]);
  const usual = typeIn(values);
  const problems = files.flatMap((layer) => layer.problems);
  for (const [key, one] of [...environmentOf(env), ...Object.entries(flags).map(flagOf)]) {
    const checked = check(key, one);
    problems.push(...checked.problems);
    if (checked.valued) values.set(key, checked.valued);
  }
  if (typeIn(values) !== usual)
    for (const key of OF_ONE_PROVIDER) if (values.get(key)?.source.type === 'file') values.delete(key);
  if (problems.length === 0) problems.push(...windowProblems(values));
  if (problems.length > 0) throw problemsError(problems);
  const config = configOf(values);
  const sources = [...KEYS.keys()].map((key) => [key, values.get(key)?.source ?? { type: 'default' }] as const);
  const warnings = [...files.flatMap((layer) => layer.warnings), ...idleWarnings(config, values)];
  const found = { sources: Object.fromEntries(sources), claims, trusted, warnings, file, userFile: own };
  return { config, ...defined(found) };
}

/** The content of one file. */
interface Layer {
  readonly values: ReadonlyMap<string, Valued>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

const EMPTY: Layer = { values: new Map(), problems: [], warnings: [] };

function readLayer(file: string | undefined, cwd: string): Layer {
  if (file === undefined) return EMPTY;
  const name = shownPath(resolve(cwd), file);
  const reading = readDocument(parseYaml(readConfigFile(file, name), name), isShared(file));
  const values = [...KEYS.keys()].flatMap((key): [string, Valued][] => {
    const found = inFile(reading.given, key);
    return found ? [[key, { ...found, source: { type: 'file', file, line: found.line } }]] : [];
  });
  return { values: new Map(values), problems: reading.problems, warnings: warningsOf(reading, name) };
}

/** A file that is always trusted must not be writable by others. Throws BAD_CONFIG. */
function refuseForeign(file: string): void {
  const { uid, mode } = statSync(file);
  const me = process.getuid?.() ?? uid;
  if ((uid === me || uid === 0) && (mode & 0o002) === 0) return;
  const text = 'is always trusted, but others can write to it: chown it to yourself and chmod 600 it, or remove it';
  throw problemsError([{ place: file, text }]);
}

function claimsOf({ values }: Layer): Claim[] {
  return [...values].flatMap(([key, { value, source }]) =>
    source.type === 'file' && !isHarmless(key, value) ? [{ key, value, line: source.line }] : [],
  );
}

const CONVERSATION = 'execution.conversation.';

/**
 * Whether an untrusted folder may set this: the kind of API, the model, and how long a conversation grows. None of these
 * names an address, starts a program or instructs the model. The list is defined only here. Pure.
 */
export function isHarmless(key: string, value: unknown): boolean {
  if (key === 'provider.type') return PROVIDERS.some(({ type, server }) => server && type === value);
  return key === 'provider.model' || key.startsWith(CONVERSATION);
}

function without(values: ReadonlyMap<string, Valued>, claims: readonly Claim[]): ReadonlyMap<string, Valued> {
  return new Map([...values].filter(([key]) => !claims.some((claim) => claim.key === key)));
}

/** A folder that names another provider inherits neither model nor server from the user's own configuration. */
function beside(own: ReadonlyMap<string, Valued>, folder: ReadonlyMap<string, Valued>): [string, Valued][] {
  const isOther = folder.has('provider.type') && typeIn(folder) !== typeIn(own);
  return [...own].filter(([key]) => !key.startsWith('provider.') || !isOther);
}

function typeIn(values: ReadonlyMap<string, Valued>): unknown {
  return values.get('provider.type')?.value ?? KEYS.get('provider.type')?.default;
}

/** If a flag or a variable names another provider, what the files say about theirs does not apply. */
const OF_ONE_PROVIDER = ['provider.model', 'provider.base_url', 'provider.program', 'provider.args'];

/** The full form overrides its shorthand. */
function inFile(given: ReadonlyMap<string, Given>, key: string): Given | undefined {
  return [key, ...otherNamesOf(key)].map((name) => given.get(name)).find((one) => one !== undefined);
}

function warningsOf({ given, unused }: Reading, name: string): string[] {
  const doubled = [...KEYS.keys()].flatMap((key) =>
    otherNamesOf(key).flatMap((other) => {
      const [full, short] = [given.get(key), given.get(other)];
      if (!full || !short) return [];
      return [`${full.place}: ${key} overrides ${other} (${short.place}): remove one of them`];
    }),
  );
  return unused.length === 0 ? doubled : [...doubled, `${name}: not used by holdfast: ${unused.join(', ')}`];
}

function idleWarnings({ execution }: HoldfastConfig, values: ReadonlyMap<string, Valued>): string[] {
  return [...keysWithoutEffect(execution.conversation)].map(([name, { why, advice }]) => {
    const key = `execution.conversation.${name}`;
    return `${values.get(key)?.place ?? 'configuration'}: ${key} has no effect ${why}: ${advice}`;
  });
}

function environmentOf(env: Readonly<Record<string, string | undefined>>): [string, Valued][] {
  return [...KEYS].flatMap(([key, { variable }]): [string, Valued][] => {
    const value = variable === undefined ? undefined : env[variable];
    if (variable === undefined || value === undefined || value === '') return [];
    return [[key, { value, source: { type: 'environment', variable }, place: variable }]];
  });
}

function flagOf([key, { value, flag }]: [string, FlagValue]): [string, Valued] {
  return [key, { value, source: { type: 'flag', flag }, place: flag }];
}

function check(key: string, said: Valued): { readonly valued?: Valued; readonly problems: readonly Problem[] } {
  const { place, source, value } = said;
  const row = KEYS.get(key);
  if (value === undefined) return { problems: [] };
  if (!row) return { problems: [{ place, text: `sets ${key}, which is not a known key` }] };
  const mayHold = row.passwordInVariable && source.type === 'environment';
  if (!mayHold && holdsKey(value))
    return { problems: [{ place, text: `contains what looks like a key: ${KEY_ADVICE}` }] };
  const checked = checkWord(row, value);
  // Whoever typed a flag need not know the key that it sets.
  const isNamesake = source.type === 'flag' && key.endsWith(`.${source.flag.slice(2).replaceAll('-', '_')}`);
  const subject = isNamesake ? 'the value' : key;
  const problems = checked.problems.map(({ text }) => ({ place, text: `${subject} ${text}` }));
  return problems.length > 0 ? { problems } : { valued: { ...said, value: checked.value }, problems };
}

/** The summarizer is added later: its absence is not worth a warning here. */

/** Problems that only the window finds, such as a reserve that leaves no room. */
function windowProblems(values: ReadonlyMap<string, Valued>): Problem[] {
  const { conversation } = configOf(values).execution;
  try {
    configuredBudget(conversation);
    return [];
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    const key = `execution.conversation.${String(error.details.key)}`;
    return [{ place: values.get(key)?.place ?? 'configuration', text: `execution.conversation: ${error.message}` }];
  }
}

/** The rows match the interface: every key is checked, and every required key has a default. */
function configOf(values: ReadonlyMap<string, Valued>): HoldfastConfig {
  const root: Record<string, unknown> = { execution: { conversation: {} }, proxy: {} };
  for (const [key, row] of KEYS) {
    const value = values.has(key) ? values.get(key)?.value : structuredClone(row.default);
    if (value !== undefined) place(root, key.split('.'), value);
  }
  return root as unknown as HoldfastConfig;
}

function place(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) root[name] = value;
  else {
    root[name] ??= {};
    place(root[name] as Record<string, unknown>, rest, value);
  }
}
