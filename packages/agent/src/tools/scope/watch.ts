import { relative, sep } from 'node:path';
import { messageOf, ToolFailure } from '../failure.ts';
import { counted, shownPath } from '../files/text.ts';
import type { Workspace } from '../files/workspace.ts';
import type { Guard } from '../protected/guard-files.ts';
import { isOutside, refusalOf } from '../protected/protected-files.ts';
import type { TreeClient } from '../search/tree-client.ts';
import type { Snapshot } from '../search/tree-jobs.ts';
import type { Judge } from './judge.ts';

/** What a command changed. */
export interface Changes {
  readonly changed: readonly string[];
  /** Changed files that the scope forbids to write, and whether they were restored. */
  readonly outside: readonly { readonly path: string; readonly rule: string; readonly reverted?: boolean }[];
  /** Why some changes may be unknown. */
  readonly gap?: string;
}

/** How to watch files while a command runs. */
export interface Watch {
  readonly workspace: Workspace;
  readonly client: TreeClient;
  readonly judge: Judge;
  readonly ignored: readonly string[];
  /** True if a file changed outside the scope should be restored. */
  revert(path: string): boolean;
  readonly max_files: number;
  /** Restores Holdfast's own configuration, inside the workspace and outside. */
  readonly guard: Guard;
  /** Paths in the workspace to ignore. */
  readonly hidden: readonly string[];
}

const MOST_PATHS = 20;
const SNAPSHOT_MS = 10_000;
const COPY_BYTES = 2 * 2 ** 20;
const COPIES_BYTES = 32 * 2 ** 20;

/**
 * Records the state of all files and returns a function that reports later what has changed, by inode, times, size and mode.
 * Never throws: `gap` says what it could not see.
 */
export async function watchFiles(watch: Watch): Promise<() => Promise<Changes>> {
  const end = watch.guard.start();
  const changes = await watchTree(watch);
  return async () => {
    const restored = end().map(({ path, reverted }) => ({ path: fromRoot(watch.workspace, path), reverted }));
    const found = await changes();
    const known = (path: string) => restored.some((one) => one.path === path);
    const kept = restored.filter(({ reverted }) => !reverted).map(({ path }) => path);
    return {
      ...found,
      changed: [...found.changed.filter((path) => !known(path)), ...kept],
      outside: [
        ...restored.map((one) => ({ ...one, rule: refusalOf(one.path) })),
        ...found.outside.filter(({ path }) => !known(path)),
      ],
    };
  };
}

/** Relative to the workspace, or absolute outside of it. */
function fromRoot({ root }: Workspace, path: string): string {
  const way = relative(root.path, path);
  return isOutside(way) ? path : way.split(sep).join('/');
}

async function watchTree(watch: Watch): Promise<() => Promise<Changes>> {
  const before = await look(watch);
  if (typeof before === 'string') return async () => ({ changed: [], outside: [], gap: before });
  const copies = copyOf(watch, before);
  return async () => {
    const after = await look(watch);
    if (typeof after === 'string') return { changed: [], outside: [], gap: after };
    const paths = new Set([...before.files.keys(), ...after.files.keys()]);
    const changed = [...paths].filter((path) => before.files.get(path) !== after.files.get(path)).sort();
    const outside = changed.flatMap((path) => {
      const rule = watch.judge(path, 'write');
      if (rule === undefined) return [];
      return [{ path, rule, ...(watch.revert(path) ? { reverted: putBack(watch, path, before, copies) } : {}) }];
    });
    const kept = changed.filter((path) => !outside.some((one) => one.path === path && one.reverted));
    const complete = before.complete && after.complete;
    return { changed: kept, outside, ...(complete ? {} : { gap: `there are more than ${watch.max_files} files` }) };
  };
}

/** Reports changes to the model; empty if all are within the scope. Pure. */
export function changeLines({ outside, gap }: Changes): string[] {
  const lines = outside.slice(0, MOST_PATHS).map(({ path, rule, reverted }) => {
    const done = reverted === undefined ? '; undo that' : reverted ? '; it was restored' : '; it could not be restored';
    return `- ${shownPath(path)}: ${shownPath(rule)}${done}`;
  });
  if (outside.length > MOST_PATHS) lines.push(`- and ${outside.length - MOST_PATHS} more`);
  if (lines.length > 0) lines.unshift(`[${counted(outside.length, 'file')} outside the task's scope changed]`);
  if (gap !== undefined) lines.push(`[some changed files may be missing from this list: ${gap}]`);
  return lines;
}

async function look({ workspace, client, ignored, hidden, max_files }: Watch): Promise<Snapshot | string> {
  try {
    const job = { type: 'snapshot', root: workspace.root, names: [], ignored, hidden, max: max_files } as const;
    const { answer } = await client.run(job, SNAPSHOT_MS);
    return answer !== undefined && 'files' in answer ? answer : 'reading all files took too long';
  } catch (error) {
    return messageOf(error);
  }
}

/** Copies of the files to restore, as far as there is room. */
function copyOf({ workspace, judge, revert }: Watch, { files }: Snapshot): Map<string, Buffer> {
  const copies = new Map<string, Buffer>();
  let room = COPIES_BYTES;
  for (const path of files.keys()) {
    if (judge(path, 'write') === undefined || !revert(path)) continue;
    try {
      const { bytes, path: real } = workspace.read(path, () => {}, Math.min(COPY_BYTES, room));
      // A symlink would copy another file.
      if (real !== path) continue;
      copies.set(path, bytes);
      room -= bytes.length;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
    }
  }
  return copies;
}

function putBack({ workspace }: Watch, path: string, before: Snapshot, copies: ReadonlyMap<string, Buffer>): boolean {
  const was = before.files.get(path);
  const bytes = copies.get(path);
  if (was !== undefined && bytes === undefined) return false;
  try {
    const removed = tryRemove(workspace, path);
    if (bytes === undefined) return removed;
    workspace.write(path, () => {}, bytes, Number(was?.split(',').at(-1)) & 0o777);
    return true;
  } catch {
    return false;
  }
}

function tryRemove(workspace: Workspace, path: string): boolean {
  try {
    workspace.remove(path);
    return true;
  } catch {
    // The command removed it, or gave it a name that tools refuse.
    return false;
  }
}
