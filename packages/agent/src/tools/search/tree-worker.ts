import { lstatSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { messageOf } from '../failure.ts';
import { at } from '../files/folder.ts';
import { removeIfAbandoned } from '../files/temporary-name.ts';
import { shownPath } from '../files/text.ts';
import { type SearchJob, searchFiles } from './search-files.ts';
import { type Entry, queryTree, type TreeQuery } from './tree.ts';

/** A job for the worker that walks folder trees. Plain data. */
export type TreeJob =
  | SearchJob
  | (TreeQuery & { readonly type: 'list' | 'snapshot'; readonly max: number })
  | (TreeQuery & { readonly type: 'sweep' });

/** The state of all files: for each path, a string that changes whenever the file does. */
export interface Snapshot {
  readonly files: ReadonlyMap<string, string>;
  /** False if there were more files than the limit. */
  readonly complete: boolean;
}

/** The answer to a job: lines of text, or a snapshot. */
export type TreeAnswer = readonly string[] | Snapshot;

/** A message from the worker about a job. */
export type TreeMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'part'; readonly lines: readonly string[] }
  | { readonly type: 'done'; readonly answer: TreeAnswer }
  | { readonly type: 'failed'; readonly message: string };

function runJob(job: TreeJob): TreeAnswer {
  if (job.type === 'search') return searchFiles(job, (lines) => say({ type: 'part', lines }));
  if (job.type === 'sweep') return sweep(job);
  return job.type === 'list' ? listFiles(job, job.max) : snapshot(job, job.max);
}

function listFiles(query: TreeQuery, max: number): readonly string[] {
  return queryTree(query, (entries) => {
    const lines: string[] = [];
    for (const { path, kind } of entries) {
      if (lines.length === max) return [...lines, `[more than ${max} entries; narrow it with path, glob or depth]`];
      lines.push(
        shownPath(path) + { file: '', folder: '/', symlink: ' (symlink)', other: ' (not a regular file)' }[kind],
      );
    }
    return lines;
  });
}

/** Removes temporary files left behind by killed processes. */
function sweep(query: TreeQuery): readonly string[] {
  const remove = (entries: Iterable<Entry>) => {
    for (const { folder, name, kind } of entries) if (kind === 'file') removeIfAbandoned(folder, name);
    return [];
  };
  return queryTree(query, remove, true);
}

function snapshot(query: TreeQuery, max: number): Snapshot {
  return queryTree(query, (entries) => {
    const files = new Map<string, string>();
    for (const { path, folder, name, kind } of entries) {
      if (kind === 'folder') continue;
      if (files.size === max) return { files, complete: false };
      const seen = lstatSync(at(folder, name), { bigint: true, throwIfNoEntry: false });
      if (seen) files.set(path, [seen.ino, seen.ctimeNs, seen.mtimeNs, seen.size, seen.mode].join());
    }
    return { files, complete: true };
  });
}

function say(message: TreeMessage): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', (job: TreeJob) => {
  try {
    say({ type: 'done', answer: runJob(job) });
  } catch (error) {
    say({ type: 'failed', message: messageOf(error) });
  }
});
say({ type: 'ready' });
