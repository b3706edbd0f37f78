import { relative, sep } from 'node:path';
import { attempt } from '../../attempt.ts';
import { messageOf, ToolFailure } from '../failure.ts';
import { counted, shownPath } from '../files/text.ts';
import type { Workspace } from '../files/workspace.ts';
import { isOutside, refusalOf } from '../protected/protected-files.ts';
import type { Snapshot } from '../search/tree-worker.ts';
import type { ToolSetting } from '../setting.ts';

/** What a command changed. */
export interface Changes {
  readonly changed: readonly string[];
  /** Changed files that the scope forbids to write, and whether they were restored. */
  readonly outside: readonly {
    readonly path: string;
    readonly rule: string;
    readonly reverted?: boolean | undefined;
  }[];
  /** Why some changes may be unknown. */
  readonly gap?: string | undefined;
}

const MOST_PATHS = 20;
const SNAPSHOT_MS = 10_000;
const COPY_BYTES = 2 * 2 ** 20;
const COPIES_BYTES = 32 * 2 ** 20;

/**
 * Records the state of all files and returns a function that later restores and reports what has changed, by inode, times,
 * size and mode. Never throws: `gap` says what it could not see.
 */
export async function watchFiles(setting: ToolSetting): Promise<() => Promise<Changes>> {
  const { guard, workspace, judge, revert, linked, max_watched_files } = setting;
  linked.look();
  const end = guard.start();
  const before = await look(setting);
  const copies = copyOf(setting, before);
  return async () => {
    const outside = end().map(({ path, reverted }): Changes['outside'][number] => {
      const shown = fromRoot(workspace, path);
      return { path: shown, rule: refusalOf(shown), reverted };
    });
    const kept = outside.filter(({ reverted }) => !reverted).map(({ path }) => path);
    const after = before.failed === undefined ? await look(setting) : before;
    if (after.failed !== undefined) return { changed: kept, outside, gap: after.failed };
    const guarded = new Set(outside.map(({ path }) => path));
    const changed: string[] = [];
    for (const path of [...new Set([...before.files.keys(), ...after.files.keys()])].sort()) {
      if (guarded.has(path) || before.files.get(path) === after.files.get(path)) continue;
      const rule = judge(path, 'write');
      const reverted = rule && revert(path) ? putBack(workspace, path, before.files.get(path), copies) : undefined;
      if (rule !== undefined) outside.push({ path, rule, reverted });
      if (!reverted) changed.push(path);
    }
    const complete = before.complete && after.complete;
    const gap = complete ? undefined : `there are more than ${max_watched_files} files`;
    return { changed: [...changed, ...kept], outside, gap };
  };
}

/** Relative to the workspace, or absolute outside of it. */
function fromRoot({ root }: Workspace, path: string): string {
  const way = relative(root.path, path);
  return isOutside(way) ? path : way.split(sep).join('/');
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

async function look(setting: ToolSetting): Promise<Snapshot & { readonly failed?: string }> {
  const { workspace, client, ignored, hidden, max_watched_files: max } = setting;
  let failed = 'reading all files took too long';
  try {
    const job = { type: 'snapshot', root: workspace.root, names: [], ignored, hidden, max } as const;
    const { answer } = await client.run(job, SNAPSHOT_MS);
    if (answer !== undefined && 'files' in answer) return answer;
  } catch (error) {
    failed = messageOf(error);
  }
  return { files: new Map(), complete: false, failed };
}

/** Copies of the files to restore, as far as there is room. */
function copyOf({ workspace, judge, revert }: ToolSetting, { files }: Snapshot): Map<string, Buffer> {
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

function putBack(
  workspace: Workspace,
  path: string,
  was: string | undefined,
  copies: ReadonlyMap<string, Buffer>,
): boolean {
  const bytes = copies.get(path);
  if (was !== undefined && bytes === undefined) return false;
  const isDone = (work: () => void) => attempt(() => [work()]) !== undefined;
  // False if the command removed it, or gave it a name that tools refuse.
  const isRemoved = isDone(() => workspace.remove(path));
  if (bytes === undefined) return isRemoved;
  return isDone(() => workspace.write(path, () => {}, bytes, Number(was?.split(',').at(-1)) & 0o777));
}
