import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { HoldfastError } from 'holdfast';
import type { HoldfastConfig } from '../config/config.ts';
import { foldersUpward } from '../config/files.ts';
import { errorCode, messageOf } from '../tools/failure.ts';
import type { Task } from './task.ts';

/** A file that the model gets first. */
export interface ContextPart {
  readonly kind: 'rules' | 'role' | 'skill' | 'task';
  readonly name: string;
  /** Relative to the workspace; as configured, if that is absolute. */
  readonly path: string;
  readonly text: string;
}

/** What the model gets before it starts. */
export interface Context {
  readonly parts: readonly ContextPart[];
  readonly warnings: readonly string[];
}

/** Where a context comes from. `path`: the task's file. */
export interface ContextSources {
  readonly workspace: string;
  readonly config: HoldfastConfig;
  readonly task: Pick<Task, 'roles' | 'text'>;
  readonly path: string;
}

/** Larger files cannot be rules for agents. */
const MOST_BYTES = 1_000_000;

/** Reads rules, role, skills and task. Throws BAD_CONFIG if a file named by the configuration is missing. */
export function loadContext({ workspace, config, task, path }: ContextSources): Context {
  const { execution, skills } = config;
  const warnings: string[] = [];
  const rules = findRules(workspace, execution.agents_file);
  if (rules.length === 0 && execution.agents_file !== 'AGENTS.md')
    throw missing('execution.agents_file', execution.agents_file, workspace);
  const [suggested] = task.roles;
  const wanted = execution.role ?? suggested;
  const role = wanted === undefined ? undefined : findRole(workspace, wanted);
  if (wanted !== undefined && role === undefined) {
    if (execution.role !== undefined) throw missing('execution.role', wanted, workspace);
    warnings.push(
      `the task suggests the role ${wanted}, but there is no .ai/roles/${wanted}.md: continuing without it`,
    );
  }
  const found = skills.enabled ? findSkills(workspace, ['.ai/skills', ...skills.directories]) : [];
  const unknown = (skills.use ?? []).find((name) => !found.some((skill) => skill.name === name));
  if (unknown !== undefined)
    throw new HoldfastError(
      'BAD_CONFIG',
      `skills.use: unknown skill ${unknown}: available: ${found.map(({ name }) => name).join(', ') || 'none'}`,
    );
  const parts: ContextPart[] = [
    ...rules.map((one) => ({ kind: 'rules' as const, name: basename(one.path), ...one })),
    ...(role ? [{ kind: 'role' as const, name: basename(role.path, '.md'), ...role }] : []),
    ...found.filter(({ name }) => skills.use?.includes(name) ?? true),
    { kind: 'task', name: basename(path), path, text: task.text },
  ];
  return { parts, warnings };
}

/**
 * The rules of the folder and of those above it in its repository, outermost first, so that the nearest come last. An absolute
 * path names one file.
 */
function findRules(workspace: string, file: string): { path: string; text: string }[] {
  if (isAbsolute(file)) return [read(workspace, file)].flatMap((one) => one ?? []);
  return foldersUpward(resolve(workspace))
    .toReversed()
    .flatMap((folder) => {
      const way = relative(workspace, folder);
      return ['', '.ai'].flatMap((inner) => read(workspace, join(way, inner, file)) ?? []).slice(0, 1);
    });
}

function findRole(workspace: string, name: string): { path: string; text: string } | undefined {
  const asPath = name.endsWith('.md') ? read(workspace, name) : undefined;
  const plain = name.toLowerCase().replace(/\s+/g, '-');
  return (
    asPath ?? read(workspace, join('.ai/roles', `${name}.md`)) ?? read(workspace, join('.ai/roles', `${plain}.md`))
  );
}

/** Folders with a SKILL.md, sorted by name; the first of each name wins. */
function findSkills(workspace: string, folders: readonly string[]): ContextPart[] {
  const skills = new Map<string, ContextPart>();
  for (const folder of folders) {
    for (const name of namesIn(inside(workspace, folder))) {
      const file = read(workspace, join(folder, name, 'SKILL.md'));
      if (file && !skills.has(name)) skills.set(name, { kind: 'skill', name, ...file });
    }
  }
  return [...skills.values()];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function read(workspace: string, path: string): { path: string; text: string } | undefined {
  const full = inside(workspace, path);
  try {
    const found = statSync(full);
    // Reading a pipe would never end.
    if (!found.isFile()) return undefined;
    if (found.size > MOST_BYTES)
      throw new HoldfastError('BAD_CONFIG', `${path} has over ${MOST_BYTES} bytes: too long for a model to follow`);
    const text = readFileSync(full, 'utf8').replace(/^\ufeff/, '');
    return text.trim() === '' ? undefined : { path, text };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')) return undefined;
    if (error instanceof HoldfastError) throw error;
    throw new HoldfastError('BAD_CONFIG', `${path} cannot be read: ${messageOf(error)}`, {}, error);
  }
}

function inside(workspace: string, path: string): string {
  return isAbsolute(path) ? path : join(workspace, path);
}

function missing(key: string, value: string, workspace: string): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `${key}: ${value} was not found in ${workspace}: write it, or change ${key}`);
}
