import { closeSync, lstatSync } from 'node:fs';
import { ToolFailure } from '../failure.ts';
import { at, openRoot } from '../files/folder.ts';
import { removeLeftBehind } from '../files/temporary.ts';
import { shownPath } from '../files/text.ts';
import { walk } from '../files/walk.ts';
import { hiddenFrom } from '../protected/out-of-reach.ts';
import { matchBelow } from '../protected/protected-files.ts';
import { pathMatch } from './glob.ts';
import { type SearchJob, searchFiles } from './search-files.ts';
import { entriesBelow, type TreeQuery } from './tree.ts';

/** A job for the worker that walks folder trees. Plain data. */
export type TreeJob = ListJob | SearchJob | SnapshotJob | SweepJob;

interface ListJob extends TreeQuery {
  readonly type: 'list';
  readonly depth?: number;
  readonly max: number;
}

interface SnapshotJob extends TreeQuery {
  readonly type: 'snapshot';
  readonly max: number;
}

interface SweepJob extends TreeQuery {
  readonly type: 'sweep';
}

/** The state of all files: for each path, a string that changes whenever the file does. */
export interface Snapshot {
  readonly files: ReadonlyMap<string, string>;
  /** False if there were more files than the limit. */
  readonly complete: boolean;
}

/** The answer to a job: lines of text, or a snapshot. */
export type TreeAnswer = readonly string[] | Snapshot;

/** Runs a job; calls `part` with lines as they are found. Throws ToolFailure. */
export function runTreeJob(job: TreeJob, part: (lines: readonly string[]) => void): TreeAnswer {
  if (job.type === 'search') return searchFiles(job, part);
  if (job.type === 'sweep') return sweep(job);
  return job.type === 'list' ? listFiles(job) : snapshot(job);
}

function listFiles({ root, names, ignored, hidden, depth, glob: pattern, max }: ListJob): readonly string[] {
  const fits = pathMatch(pattern);
  return walk(root, names, ({ folder, missing, name, path }) => {
    const isHidden = hiddenFrom(path, hidden);
    if (missing.length > 0) throw new ToolFailure(`${path} does not exist`);
    if (name !== undefined) return [shownPath(path)];
    const lines: string[] = [];
    for (const entry of entriesBelow(folder, ignored, { isHidden, ...(depth === undefined ? {} : { depth }) })) {
      if (!fits(entry.path) || (entry.kind === 'folder' && pattern !== undefined)) continue;
      if (lines.length === max) return [...lines, `[more than ${max} entries; narrow it with path, glob or depth]`];
      const mark = { file: '', folder: '/', symlink: ' (symlink)', other: ' (not a regular file)' }[entry.kind];
      lines.push(shownPath(entry.path) + mark);
    }
    return lines;
  });
}

function sweep({ root, ignored, hidden }: SweepJob): readonly string[] {
  const folder = openRoot(root);
  try {
    removeLeftBehind(folder, ignored, matchBelow(hidden));
  } finally {
    closeSync(folder.fd);
  }
  return [];
}

function snapshot({ root, names, ignored, hidden, max }: SnapshotJob): Snapshot {
  return walk(root, names, ({ folder }) => {
    const files = new Map<string, string>();
    for (const entry of entriesBelow(folder, ignored, { isHidden: matchBelow(hidden) })) {
      if (entry.kind === 'folder') continue;
      if (files.size === max) return { files, complete: false };
      const seen = lstatSync(at(entry.folder, entry.name), { bigint: true, throwIfNoEntry: false });
      if (seen) files.set(entry.path, [seen.ino, seen.ctimeNs, seen.mtimeNs, seen.size, seen.mode].join());
    }
    return { files, complete: true };
  });
}
