import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { HoldfastError } from 'holdfast';
import { chance } from '../json.ts';

/** The purpose of a call, with its arguments. */
export type Intent =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'search'; readonly pattern: string }
  | { readonly kind: 'edit'; readonly path: string; readonly old: string; readonly new: string }
  | { readonly kind: 'run'; readonly command: string };

interface Line {
  readonly path: string;
  readonly text: string;
}

/** What an edit adds to a line. */
const MARK = ' // call';
const MARKED = / \/\/ call \d+$/gm;
const SKIPPED = new Set(['node_modules', '.git', 'dist']);
/** Prefix of files being written, or left by a killed process. */
const TEMPORARY = '.holdfast-';
const MOST_FILES = 2000;
const EDITABLE_BYTES = 200_000;

/**
 * The steps of a task over a folder, each of one or more parallel calls, `calls` in total. Reads the folder once and ignores
 * the task's own edits in it. Without `edits`, it changes nothing and runs no commands.
 */
export function planTask(folder: string, calls: number, seed: number, edits = true): Intent[][] {
  const paths = filesIn(folder);
  if (paths.length === 0)
    throw new HoldfastError(
      'BAD_CONFIG',
      `no file in ${folder} that the stand-in's script could read: use a folder with source files`,
    );
  const lines = shuffled(
    paths.flatMap((path) => linesOf(folder, path)),
    seed,
  );
  const steps: Intent[][] = [];
  for (let made = 0; made < calls; ) {
    const step = steps.length;
    const wide = chance(seed, step, 'wide') < 0.25 ? 2 + Math.floor(chance(seed, step, 'how wide') * 3) : 1;
    const count = Math.min(wide, calls - made);
    steps.push(Array.from({ length: count }, (_, at) => intentOf(paths, edits ? lines : undefined, seed, made + at)));
    made += count;
  }
  return steps;
}

/** True if the folder has what an edit made. */
export function isDone(folder: string, { path, new: fresh }: { readonly path: string; readonly new: string }): boolean {
  const full = join(folder, path);
  return existsSync(full) && readFileSync(full, 'utf8').includes(fresh);
}

/** Mostly reads, then edits, searches and commands, like a coding agent. Each line is edited at most once. */
function intentOf(paths: readonly string[], lines: Line[] | undefined, seed: number, call: number): Intent {
  const path = paths[Math.floor(chance(seed, call, 'file') * paths.length)] ?? '';
  const draw = chance(seed, call, 'kind');
  const line = draw > 0.45 && draw < 0.7 ? lines?.pop() : undefined;
  if (line) return { kind: 'edit', path: line.path, old: line.text, new: `${line.text}${MARK} ${call}` };
  if (draw < 0.7) return { kind: 'read', path };
  if (draw < 0.82) return { kind: 'search', pattern: path.split('/').at(-1)?.split('.')[0] ?? path };
  return draw < 0.9 || lines === undefined ? { kind: 'list', path: '.' } : { kind: 'run', command: `wc -l ${path}` };
}

function filesIn(folder: string): string[] {
  const found: string[] = [];
  const walk = (at: string) => {
    for (const entry of readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST_FILES || SKIPPED.has(entry.name) || entry.name.startsWith(TEMPORARY)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) found.push(relative(folder, path).split(sep).join('/'));
    }
  };
  walk(folder);
  return found;
}

/** Lines that are unique in their file, so that an edit can name them. */
function linesOf(folder: string, path: string): Line[] {
  const full = join(folder, path);
  if (statSync(full).size > EDITABLE_BYTES) return [];
  const text = readFileSync(full, 'utf8').replace(MARKED, '');
  if (text.includes('\0')) return [];
  const lines = text.split('\n').slice(0, 200);
  return lines.flatMap((line) => {
    const once = line.trim().length >= 8 && text.indexOf(line) === text.lastIndexOf(line);
    return once ? [{ path, text: line }] : [];
  });
}

function shuffled<Item>(list: readonly Item[], seed: number): Item[] {
  const keyed = list.map((item, at) => ({ item, key: chance(seed, at, 'line') }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
