import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve } from 'node:path';
import type { Task, TaskSetup } from '@holdfast/agent';
import { flow, type LoadedConfig, shownPath, userFolder } from '@holdfast/agent/config';
import { type ContextPart, type ContextSources, loadContext } from '@holdfast/agent/run';
import { isInside, realPath } from '@holdfast/agent/tools';
import type { LoadedCrew } from '@holdfast/crew';
import { maskSecrets } from 'holdfast';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { visible } from './visible.ts';

/** A file that needs trust, and what to show the user of it. */
export interface TrustItem {
  /** Its real path. */
  readonly path: string;
  /** As shown to the user. */
  readonly name: string;
  /** Values take effect by themselves and are always shown in full; instructions are text for a model, and may be long. */
  readonly kind: 'values' | 'instructions';
  /** Safe to print. */
  readonly lines: readonly string[];
  readonly hash: string;
}

/** The settings of a configuration that need trust; undefined if there are none. */
export function configItem({ claims, file }: LoadedConfig, { cwd }: Pick<Context, 'cwd'>): TrustItem | undefined {
  if (file === undefined || claims.length === 0) return undefined;
  const values = claims.map(({ key, value }): [string, unknown] => [key, value]);
  return valuesItem(file, shownPath(cwd, file), Object.fromEntries(values));
}

/** Everything that a crew file sets. */
export function crewItem({ given }: Pick<LoadedCrew, 'given'>, file: string, { cwd }: Pick<Context, 'cwd'>): TrustItem {
  return valuesItem(file, shownPath(cwd, file), given);
}

/** The rules, role and skills for the model; `own`: the user's, which need no trust. Throws BAD_CONFIG if one is missing. */
export function instructionItems(
  loaded: LoadedConfig,
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
  roles: Task['roles'] = [],
): (TrustItem & { readonly own: boolean })[] {
  const { parts } = loadContext({ workspace: cwd, config: loaded.config, task: { roles, text: '' }, path: '' });
  const instructions = parts.filter(({ kind }) => kind !== 'task');
  return instructions.map((part) => ({ ...instructionItem(part, cwd), own: isOwn(part, loaded, env) }));
}

function instructionItem({ path, text }: ContextPart, cwd: string): TrustItem {
  const real = realPath(resolve(cwd, path));
  return {
    path: real,
    name: isInside(real, cwd) || real === resolve(realPath(cwd), path) ? path : `${path}, a link to ${real},`,
    kind: 'instructions',
    // A link may lead to credentials, and this output may end up in a log.
    lines: maskSecrets(text).replace(/\n$/, '').split(/\r?\n/).map(visible),
    hash: hashOf(text),
  };
}

/** Rules, role, skills and task for the model, as the user trusted them. Throws BAD_CONFIG, or WrongUse after a change. */
export function trustedInstructions(
  sources: ContextSources,
  context: Pick<Context, 'trustedHashes'>,
): NonNullable<TaskSetup['context']> {
  const read = loadContext(sources);
  for (const part of read.parts)
    if (part.kind !== 'task') checkAsTrusted(context, instructionItem(part, sources.workspace));
  return read;
}

/** Throws WrongUse if a file is not as the user trusted it: it may change between the question and its use. */
export function checkAsTrusted({ trustedHashes }: Pick<Context, 'trustedHashes'>, item: TrustItem | undefined): void {
  if (!trustedHashes || !item || trustedHashes.get(item.path) === item.hash) return;
  const name = visible(item.name);
  throw new WrongUse(`${name} changed while you were reviewing it: run the command again to see the change`);
}

const KEYS: Readonly<Record<ContextPart['kind'], string>> = {
  rules: 'execution.agents_file',
  role: 'execution.role',
  skill: 'skills.directories',
  task: '',
};

/** The user's own instructions: in their own folder, or named by their own configuration outside the workspace. */
function isOwn({ kind, path }: ContextPart, { sources, userFile }: LoadedConfig, env: Context['env']): boolean {
  if (!isAbsolute(path)) return false;
  const source = sources[KEYS[kind]];
  return isInside(path, userFolder(env)) || (source?.type === 'file' && source.file === userFile);
}

function valuesItem(file: string, name: string, values: unknown): TrustItem {
  const lines = leaves('', values)
    .map(([key, value]) => visible(`${key}: ${flow(value)}`))
    .toSorted(byHarm);
  return { path: realPath(file), name, kind: 'values', lines, hash: hashOf(canonical(values)) };
}

/** Settings that start programs or send data elsewhere. */
const HARMFUL = /^(?:(?:provider|tools|mcp_servers|validation|sessions)\b|agents\..*\.(?:provider|tools): )/;

/** Puts the most harmful last and the long before the short, so that it stays on screen next to the question. */
function byHarm(a: string, b: string): number {
  return Number(HARMFUL.test(a)) - Number(HARMFUL.test(b)) || b.length - a.length;
}

/** One entry for each server, tool and value. */
function leaves(key: string, value: unknown, depth = 0): [string, unknown][] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  // Agents go one level deeper, to separate their provider from long instructions.
  const most = key.startsWith('agents') ? 3 : 2;
  if (!isMap || depth >= most || Object.keys(value).length === 0) return [[key, value]];
  return Object.entries(value).flatMap(([name, one]) => leaves(key === '' ? name : `${key}.${name}`, one, depth + 1));
}

/** JSON that does not depend on the order of keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const MOST_KEPT = 200_000;

/** What to save of a trusted item: the lines shown, with keys masked. Pure. */
export function keptText({ lines }: TrustItem): string {
  const text = maskSecrets(lines.join('\n'));
  return text.length > MOST_KEPT ? '' : text;
}

/** A path relative to the folder, if it is inside. Pure. */
export function nameIn(folder: string, path: string): string {
  const way = relative(folder, path);
  return way.startsWith('..') || isAbsolute(way) ? path : way;
}
