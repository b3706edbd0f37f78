import { closeSync, fstatSync, readFileSync } from 'node:fs';
import { messageOf, ToolFailure } from '../failure.ts';
import { openFile } from '../files/folder.ts';
import { type LinkJudge, linkJudge } from '../files/hard-links.ts';
import { counted, linesOf, shownPath, textOf } from '../files/text.ts';
import { scopeJudge } from '../scope/judge.ts';
import { type Entry, queryTree, type TreeQuery } from './tree.ts';

/** What to search for, and where. Plain data. */
export interface SearchJob extends TreeQuery {
  readonly type: 'search';
  /** Absolute paths that file tools may not reach; hard links to them are skipped too. */
  readonly unreachable: readonly string[];
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignore_case: boolean;
  /** Lines to show before and after each match. */
  readonly context: number;
  readonly max_matches: number;
  readonly maxBytes: number;
}

const LINE_CHARS = 400;

/** Searches files line by line; calls `part` with each file's lines and returns the closing line. Throws ToolFailure. */
export function searchFiles(job: SearchJob, part: (lines: readonly string[]) => void): readonly string[] {
  const find = finder(job);
  const judge = scopeJudge(job.scope);
  const links = linkJudge(job, true);
  const tally = { matches: 0, files: 0, large: 0, binary: 0, forbidden: 0, gone: 0 };
  queryTree(job, (entries) => {
    for (const entry of entries) {
      if (tally.matches >= job.max_matches) break;
      if (entry.kind !== 'file') continue;
      const text = judge(entry.path, 'read') === undefined ? readText(entry, job.maxBytes, links) : 'forbidden';
      if (typeof text === 'string') {
        tally[text]++;
        continue;
      }
      const found = matching(shownPath(entry.path), linesOf(text.text), find, job, job.max_matches - tally.matches);
      if (found.matches === 0) continue;
      tally.files++;
      tally.matches += found.matches;
      part(found.shown);
    }
  });
  return [said(tally, job.max_matches)];
}

/** Finds the column of a match in a line, or -1. */
function finder({ pattern, literal, ignore_case }: SearchJob): (line: string) => number {
  if (literal && !ignore_case) return (line) => line.indexOf(pattern);
  try {
    const expression = new RegExp(
      literal ? pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : pattern,
      ignore_case ? 'i' : '',
    );
    return (line) => expression.exec(line)?.index ?? -1;
  } catch (error) {
    throw new ToolFailure(`${messageOf(error)}; set literal to search for the exact text`, error);
  }
}

function readText(
  { folder, name }: Entry,
  max: number,
  links: LinkJudge,
): { text: string } | 'large' | 'binary' | 'forbidden' | 'gone' {
  let fd: number;
  try {
    fd = openFile(folder, name);
  } catch {
    return 'gone';
  }
  try {
    const opened = fstatSync(fd, { bigint: true });
    if (links(opened) !== undefined) return 'forbidden';
    if (opened.size > max) return 'large';
    return textOf(readFileSync(fd)) ?? 'binary';
  } catch {
    return 'gone';
  } finally {
    closeSync(fd);
  }
}

/** The matching lines of one file with their context, each line once. */
function matching(
  path: string,
  lines: readonly string[],
  find: (line: string) => number,
  { context }: SearchJob,
  most: number,
) {
  const places = new Map<number, number>();
  for (let at = 0; at < lines.length && places.size < most; at++) {
    const column = find(lines[at] ?? '');
    if (column >= 0) places.set(at, column);
  }
  const shown: string[] = [];
  let last = -1;
  for (const at of places.keys()) {
    const from = Math.max(last + 1, at - context);
    if (context > 0 && last >= 0 && from > last + 1) shown.push('--');
    const to = Math.min(lines.length - 1, at + context);
    for (let line = from; line <= to; line++) {
      const column = places.get(line);
      const mark = column === undefined ? '-' : ':';
      shown.push(`${path}${mark}${line + 1}${mark} ${around(lines[line] ?? '', column ?? 0)}`);
    }
    last = Math.max(last, to);
  }
  return { shown, matches: places.size };
}

/** The line, or the part of a long line around its match. */
function around(line: string, column: number): string {
  if (line.length <= LINE_CHARS) return line;
  const start = Math.max(0, column - LINE_CHARS / 4);
  const end = start + LINE_CHARS;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

function said(tally: Readonly<Record<'matches' | 'files' | 'large' | 'binary' | 'forbidden', number>>, most: number) {
  const kinds = { binary: 'binary', large: 'too large', forbidden: 'forbidden by the scope' } as const;
  const skipped = (['binary', 'large', 'forbidden'] as const)
    .filter((kind) => tally[kind] > 0)
    .map((kind) => `${tally[kind]} ${kinds[kind]}`);
  const left = skipped.length > 0 ? `; skipped files: ${skipped.join(', ')}` : '';
  const more = tally.matches >= most ? '; stopped there, there may be more' : '';
  return `[${counted(tally.matches, 'match')} in ${counted(tally.files, 'file')}${more}${left}]`;
}
