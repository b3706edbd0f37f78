import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve } from 'node:path';
import type { Task } from '@holdfast/agent';
import { flow, type LoadedConfig, shownPath, userFolder } from '@holdfast/agent/config';
import { type ContextPart, isInside, loadContext, realPath } from '@holdfast/agent/internal';
import type { LoadedCrew } from '@holdfast/crew';
import { maskSecrets } from 'holdfast';
import type { Context } from '../context.ts';
import { visible } from './visible.ts';

/** A file that would be obeyed, and what a person is shown of it. */
export interface TrustItem {
  /** Its real path. */
  readonly path: string;
  /** As people know it. */
  readonly name: string;
  /** Values do something by themselves and are all shown; instructions are words for a model, and may be long. */
  readonly kind: 'values' | 'instructions';
  /** Readable, and harmless to a terminal. */
  readonly lines: readonly string[];
  readonly hash: string;
}

/** What a configuration sets that is not harmless; undefined if it sets nothing of that kind. */
export function configItem({ claims, file }: LoadedConfig, { cwd }: Pick<Context, 'cwd'>): TrustItem | undefined {
  if (file === undefined || claims.length === 0) return undefined;
  const values = claims.map(({ key, value }): [string, unknown] => [key, value]);
  return valuesItem(file, shownPath(cwd, file), Object.fromEntries(values));
}

/** All that a crew's file says. */
export function crewItem({ given }: Pick<LoadedCrew, 'given'>, file: string, { cwd }: Pick<Context, 'cwd'>): TrustItem {
  return valuesItem(file, shownPath(cwd, file), given);
}

/** The rules, the role and the skills that the model would be given. Throws BAD_CONFIG for one that is not there. */
export function instructionItems(
  loaded: LoadedConfig,
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
  roles: Task['roles'] = [],
): TrustItem[] {
  const { parts } = loadContext({ workspace: cwd, config: loaded.config, task: { roles, text: '' }, path: '' });
  const foreign = parts.filter((part) => part.kind !== 'task' && !isOwn(part, loaded, env));
  return foreign.map(({ path, text }) => {
    const real = realPath(resolve(cwd, path));
    return {
      path: real,
      name: isInside(real, cwd) || real === path ? path : `${path}, a link to ${real},`,
      kind: 'instructions',
      // A link may lead to credentials, and what is shown may end in a log.
      lines: maskSecrets(text).replace(/\n$/, '').split(/\r?\n/).map(visible),
      hash: hashOf(text),
    };
  });
}

const KEYS: Readonly<Record<ContextPart['kind'], string>> = {
  rules: 'execution.agents_file',
  role: 'execution.role',
  skill: 'skills.directories',
  task: '',
};

/** Instructions that the user wrote for themselves: in their own folder, or named outside of the workspace by their own file. */
function isOwn({ kind, path }: ContextPart, { sources, user_file }: LoadedConfig, env: Context['env']): boolean {
  if (!isAbsolute(path)) return false;
  const source = sources[KEYS[kind]];
  return isInside(path, userFolder(env)) || (source?.type === 'file' && source.file === user_file);
}

function valuesItem(file: string, name: string, values: unknown): TrustItem {
  const lines = leaves('', values)
    .map(([key, value]) => visible(`${key}: ${flow(value)}`))
    .toSorted(byHarm);
  return { path: realPath(file), name, kind: 'values', lines, hash: hashOf(canonical(values)) };
}

/** What starts something, or leads elsewhere. */
const HARMFUL = /^(?:(?:provider|tools|mcp_servers|validation|sessions)\b|agents\..*\.(?:provider|tools): )/;

/** What does most harm last, the long before the short: nothing pushes it off the screen that ends with the question. */
function byHarm(a: string, b: string): number {
  return Number(HARMFUL.test(a)) - Number(HARMFUL.test(b)) || b.length - a.length;
}

/** One line for each server, tool and value. */
function leaves(key: string, value: unknown, depth = 0): [string, unknown][] {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  // An agent has both long instructions and a provider of its own.
  const most = key.startsWith('agents') ? 3 : 2;
  if (!isMap || depth >= most || Object.keys(value).length === 0) return [[key, value]];
  return Object.entries(value).flatMap(([name, one]) => leaves(key === '' ? name : `${key}.${name}`, one, depth + 1));
}

/** One text for one value, in whatever order its keys stand. */
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

/** What is written down of an item that is trusted: its hash, and what was shown, without keys. Pure. */
export function keptText({ lines }: TrustItem): string {
  const text = maskSecrets(lines.join('\n'));
  return text.length > MOST_KEPT ? '' : text;
}

/** A path from the folder, where it lies in it. Pure. */
export function nameIn(folder: string, path: string): string {
  const way = relative(folder, path);
  return way.startsWith('..') || isAbsolute(way) ? path : way;
}
