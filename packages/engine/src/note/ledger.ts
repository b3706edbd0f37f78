/** A file's name without folders, because agents and users write longer and shorter paths for the same file. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Values by file. A longer and a shorter path name the same file if one ends with the other. */
export class ByPath<T> {
  /** By name without folders. */
  readonly #named = new Map<string, [path: string, value: T][]>();

  get(path: string): T | undefined {
    return this.#find(path)?.[1];
  }

  set(path: string, value: T): void {
    const known = this.#find(path);
    const named = this.#named.get(fileName(path));
    if (known) {
      known[1] = value;
      if (path.length > known[0].length) known[0] = path;
    } else if (named) named.push([path, value]);
    else this.#named.set(fileName(path), [[path, value]]);
  }

  *values(): Iterable<T> {
    for (const named of this.#named.values()) for (const [, value] of named) yield value;
  }

  #find(path: string): [path: string, value: T] | undefined {
    return this.#named.get(fileName(path))?.find(([known]) => isSamePath(known, path));
  }
}

/** A message that shows a file, and which lines of it: from 0 on if it shows the whole file, none if they are unknown. */
export type FileRead = readonly [at: number, from?: number, to?: number];

/** What left the view of one file: enough to bring back its current text. */
export interface FileFact {
  /** The longest way in which calls wrote it. */
  readonly path: string;
  /** Index of the first message that changed it. */
  readonly since?: number;
  /** What the latest change was, if not an edit. */
  readonly did?: 'created' | 'deleted' | 'moved';
  /** Messages whose calls changed it, the newest first; older ones than the latest whole read are left out. */
  readonly changes: readonly number[];
  /** Messages that show it, the newest first, without those that a newer one repeats. */
  readonly reads: readonly FileRead[];
}

/** Most files that one fold passes to the next, and most messages for each. No measurement supports the figures. */
const KEPT_FILES = 150;
const KEPT_PLACES = 12;
/** A result of fewer lines is no whole file: tools also answer that nothing has changed. */
const LEAST_LINES = 5;

/** A file during counting. */
interface Entry {
  path: string;
  since?: number;
  did?: FileFact['did'];
  last: number;
  changes: number[];
  reads: FileRead[];
}

/** Collects what was done to files, on top of earlier facts. Paths of different length name the same file if one ends with the other. */
export class Ledger {
  readonly #files = new ByPath<Entry>();

  constructor(before: readonly FileFact[]) {
    for (const { path, since, did, changes, reads } of before) {
      const entry = this.#entry(path, lastPlace({ changes, reads }));
      entry.changes.push(...changes);
      entry.reads.push(...reads);
      if (since !== undefined) entry.since = Math.min(since, entry.since ?? since);
      if (did !== undefined) entry.did = did;
    }
  }

  change(path: string, at: number, did?: FileFact['did']): void {
    const entry = this.#entry(path, at);
    entry.since = Math.min(at, entry.since ?? at);
    if (at >= (entry.changes.at(-1) ?? 0)) entry.did = did;
    entry.changes.push(at);
  }

  read(path: string, at: number, from?: number, to?: number): void {
    this.#entry(path, at).reads.push(from === undefined || to === undefined ? [at] : [at, from, to]);
  }

  /** The files that messages between these two changed. */
  changedBetween(from: number, to: number): string[] {
    const isBetween = (at: number) => from < at && at < to;
    return [...this.#files.values()].filter(({ changes }) => changes.some(isBetween)).map(({ path }) => path);
  }

  /** The files touched last, the newest first; of too many, those that were changed stay. */
  finish(): FileFact[] {
    const entries = [...this.#files.values()].sort((a, b) => b.last - a.last);
    const kept = new Set(changedFirst(entries).slice(0, KEPT_FILES));
    return entries
      .filter((entry) => kept.has(entry))
      .map(({ path, since, did, changes, reads }) => {
        const shown = withoutRepeats(reads.toSorted((a, b) => b[0] - a[0]));
        const whole = shown.find(isWhole)?.[0] ?? -1;
        const newest = [...new Set(changes)].sort((a, b) => b - a).filter((at) => at > whole);
        return {
          path,
          ...(since === undefined ? {} : { since }),
          ...(did === undefined ? {} : { did }),
          changes: newest.slice(0, KEPT_PLACES),
          reads: shown,
        };
      });
  }

  #entry(path: string, at: number): Entry {
    const entry = this.#files.get(path) ?? { path, last: at, changes: [], reads: [] };
    this.#files.set(path, entry);
    entry.last = Math.max(entry.last, at);
    // The longest one, because it can be used from any folder.
    if (path.length > entry.path.length) entry.path = path;
    return entry;
  }
}

/** True if the file was changed, not only read. */
export function isChanged({ since }: Pick<FileFact, 'since'>): boolean {
  return since !== undefined;
}

/** Changed files before files that were only read. */
export function changedFirst<T extends Pick<FileFact, 'since'>>(files: readonly T[]): T[] {
  return files.toSorted((a, b) => Number(isChanged(b)) - Number(isChanged(a)));
}

/** The newest message that changed or showed the file; -1 if none is known. */
function lastPlace({ changes, reads }: Pick<FileFact, 'changes' | 'reads'>): number {
  return Math.max(-1, ...changes, ...reads.map(([at]) => at));
}

/** True for a read of a whole file, judging by how many lines it shows. */
export function isWhole([, from, to = 0]: FileRead): boolean {
  return from === 0 && to >= LEAST_LINES;
}

/** True if one path ends with the other: agents and users write longer and shorter paths for the same file. */
export function isSamePath(one: string, other: string): boolean {
  const [a, b] = [slashed(one), slashed(other)];
  return a.length >= b.length ? isEnd(a, b) : isEnd(b, a);
}

/** The path with slashes, without what says only where it starts; `C:\\`, `/c/` and `/mnt/c/` are the same drive. */
function slashed(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/^(?:\.|~)\//, '')
    .replace(
      /^(?:\/mnt)?\/([a-z])\/|^([a-z]):\//i,
      (_, one: string | undefined, other: string) => `${(one ?? other).toLowerCase()}:/`,
    );
}

function isEnd(path: string, end: string): boolean {
  return path.endsWith(end) && (path.length === end.length || path.at(-end.length - 1) === '/');
}

/** The newest `KEPT_PLACES` reads, without those whose lines a newer one shows. */
function withoutRepeats(reads: readonly FileRead[]): FileRead[] {
  const shown: FileRead[] = [];
  for (const read of reads) {
    if (shown.length === KEPT_PLACES) break;
    const [at, from, to = 0] = read;
    const isShown = shown.some(
      ([newer, first, last = 0]) =>
        newer === at || (from !== undefined && first !== undefined && first <= from && last >= to),
    );
    if (!isShown) shown.push(read);
  }
  return shown;
}
