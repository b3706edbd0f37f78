import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual as same } from 'node:util';
import { attempt } from '../../attempt.ts';
import { linkTarget } from '../files/real-path.ts';
import { temporaryName } from '../files/temporary-name.ts';

/** Keeps files unchanged while commands run. */
export type Guard = ReturnType<typeof createGuard>;

type State =
  | { readonly type: 'missing' }
  | { readonly type: 'other' }
  | { readonly type: 'link'; readonly target: string }
  | { readonly type: 'file'; readonly bytes: Buffer; readonly mode: number };

/** A file and its folder, which may itself be a symlink (`.ai`). */
interface Kept {
  readonly path: string;
  readonly folder: State;
  readonly file: State;
}

const MOST_BYTES = 10 * 2 ** 20;
// A FIFO in place of a file must not block the program.
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** Guards these absolute paths. Overlapping commands share one saved state, so none restores what another just wrote. */
export function createGuard(paths: readonly string[]) {
  let running = 0;
  let kept: readonly Kept[] = [];
  return {
    /**
     * Call it before a command; call the returned function afterwards to restore what changed. It returns the absolute paths of
     * those files, and whether each was restored. Neither throws.
     */
    start() {
      if (running++ === 0) kept = paths.map(keep);
      return () => {
        const changed = kept.flatMap((one) => (isSame(one) ? [] : [{ path: one.path, reverted: putBack(one) }]));
        running--;
        return changed;
      };
    },
  };
}

function keep(path: string): Kept {
  return { path, folder: stateOf(dirname(path)), file: stateOf(path) };
}

function isSame(was: Kept): boolean {
  const now = keep(was.path);
  return same(was.file, now.file) && (was.file.type === 'missing' || sameLink(was.folder, now.folder));
}

function sameLink(one: State, other: State): boolean {
  return (one.type !== 'link' && other.type !== 'link') || same(one, other);
}

function stateOf(path: string): State {
  const target = linkTarget(path);
  if (target !== undefined) return { type: 'link', target };
  try {
    const fd = openSync(path, READ);
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || found.size > MOST_BYTES) return { type: 'other' };
      return { type: 'file', bytes: readFileSync(fd), mode: found.mode & 0o777 };
    } finally {
      closeSync(fd);
    }
  } catch {
    return { type: lstatSync(path, { throwIfNoEntry: false }) === undefined ? 'missing' : 'other' };
  }
}

function putBack({ path, folder, file }: Kept): boolean {
  const restored = attempt(() => {
    restoreFolder(dirname(path), folder);
    restore(path, file);
    return isSame({ path, folder, file });
  });
  return restored ?? false;
}

/** Undoes a folder swapped for a symlink, without touching the symlink's target. */
function restoreFolder(path: string, was: State): void {
  const now = stateOf(path);
  if (sameLink(was, now)) return;
  if (now.type === 'link') unlinkSync(path);
  if (was.type === 'link') symlinkSync(was.target, path);
  else if (was.type === 'other') mkdirSync(path);
}

function restore(path: string, was: State): void {
  const now = stateOf(path);
  if (same(was, now)) return;
  if (now.type === 'other') removeOther(path);
  else if (now.type !== 'missing') unlinkSync(path);
  if (was.type === 'link') symlinkSync(was.target, path);
  if (was.type !== 'file') return;
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(dirname(path), temporaryName());
  const fd = openSync(temporary, 'wx', was.mode);
  try {
    writeFileSync(fd, was.bytes);
    fchmodSync(fd, was.mode);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
}

/** Never removes a folder with content, which may be all that is left of someone's work. */
function removeOther(path: string): void {
  if (lstatSync(path).isDirectory()) rmdirSync(path);
  else unlinkSync(path);
}
