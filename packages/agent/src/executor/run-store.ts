import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { HoldfastError } from 'holdfast';
import type { Checkpoint } from '../providers/provider.ts';
import type { Outcome } from '../tools/endings.ts';
import { messageOf } from '../tools/failure.ts';
import { type Appended, appendTo } from './appended.ts';
import { type FileArchive, fileArchive } from './file-archive.ts';
import { takeLock } from './lock.ts';
import type { RunStatus, ValidationResult } from './state.ts';
import type { Totals } from './totals.ts';

/** A run as it lies on the disk: enough to go on with it in another process. Plain JSON. */
export interface SavedRun {
  readonly version: 1;
  /** Hash of what the model was given first: rules, role, skills and task. */
  readonly given: string;
  readonly provider: string;
  readonly speaker?: RunSpeaker;
  readonly workspace: string;
  readonly status: RunStatus;
  readonly iteration: number;
  /** `prompt`: to be said next; `open`: an execution was under way; `ended`: one ended, and its checks are to be made. */
  readonly stage: 'prompt' | 'open' | 'ended';
  readonly prompt: string;
  readonly conversationState?: unknown;
  /** How the model says that the task ended. */
  readonly outcome?: Outcome;
  /** Tool calls of this iteration. */
  readonly calls: number;
  /** Iterations in a row that failed or did nothing. */
  readonly failures: number;
  readonly totals: Totals;
  readonly validation: readonly ValidationResult[];
}

/** Who answers in a run, beside its provider: it goes on with them. */
export interface RunSpeaker {
  readonly model?: string;
  /** Which API of OpenAI. */
  readonly api?: string;
  /** Only where the user named it themselves: what a folder's configuration says is read anew, and trusted anew. */
  readonly base_url?: string;
}

/** What was added since a run was saved. */
export type RunLine =
  | Exclude<Checkpoint, { readonly type: 'state' }>
  | { readonly type: 'outcome'; readonly outcome: Outcome };

/** A run that was read, with what was added to it. */
export interface FoundRun {
  readonly saved: SavedRun;
  readonly lines: readonly RunLine[];
}

/** The folder of one run. One process at a time works on a task. */
export interface RunStore {
  readonly folder: string;
  /** What an earlier process left; undefined for a new run. */
  readonly found: FoundRun | undefined;
  readonly archive: FileArchive;
  /** Replaces what is saved, whole or not at all; what was added is in it, or no longer matters. */
  save(run: SavedRun): void;
  add(line: RunLine): void;
  close(): void;
}

/** The file in the folder of a run that says how it stands. */
const RUN = 'run.jsonl';

/** The folder in which all runs of a task lie, whatever they are called from. */
export function runsFolder(home: string, task: string): string {
  const full = resolve(task);
  const name = basename(full)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 40);
  return join(home, 'runs', `${name}-${hashOf(full).slice(0, 8)}`);
}

/** The newest run in this folder that was begun; undefined if there is none. */
export function newestRun(runs: string): string | undefined {
  const folders = numbersIn(runs)
    .sort((a, b) => b - a)
    .map((number) => join(runs, String(number)));
  return folders.find((folder) => existsSync(join(folder, RUN)));
}

/** Makes the folder of a new run. */
export function newRun(runs: string): string {
  mkdirSync(runs, { recursive: true, mode: 0o700 });
  for (let next = Math.max(0, ...numbersIn(runs)) + 1; ; next++) {
    const folder = join(runs, String(next));
    try {
      mkdirSync(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if (!existsSync(folder)) throw error;
    }
  }
}

/** Opens the folder of a run. Throws STORE_CONFLICT if another process has it, and BAD_STATE if what lies in it is damaged. */
export function openRun(folder: string): RunStore {
  const release = takeLock(join(dirname(folder), 'lock'));
  try {
    const path = join(folder, RUN);
    const found = existsSync(path) ? readRun(folder) : undefined;
    const archive = fileArchive(join(folder, 'archive.jsonl'));
    let file: Appended | undefined;
    return {
      folder,
      found,
      archive,
      save(run) {
        rmSync(`${path}.new`, { force: true });
        const fresh = appendTo(openSync(`${path}.new`, 'a+', 0o600), path, 0);
        try {
          fresh.add([JSON.stringify(run)]);
          renameSync(`${path}.new`, path);
          syncFolder(folder);
        } catch (error) {
          fresh.close();
          throw error;
        }
        file?.close();
        file = fresh;
      },
      add(line) {
        if (file === undefined) throw new Error('a run is saved before anything is added to it');
        file.add([JSON.stringify(line)]);
      },
      close() {
        file?.close();
        archive.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Reads the run in a folder without taking it. Throws BAD_STATE if it is damaged. */
export function readRun(folder: string): FoundRun {
  const path = join(folder, RUN);
  let line = 0;
  try {
    const text = readFileSync(path, 'utf8');
    // A last line without an end is of a process that was killed while it wrote.
    const [saved, ...lines] = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .flatMap((one): unknown[] => {
        line++;
        return one === '' ? [] : [lineOf(one)];
      }) as [SavedRun | undefined, ...RunLine[]];
    line = 1;
    if (saved?.version !== 1) throw new Error(`version ${String(saved?.version)} is not 1`);
    return { saved, lines };
  } catch (error) {
    const place = line > 0 ? `line ${line} of ${path}` : path;
    const text = `${place} cannot be read (${messageOf(error)}): put the file back from a copy, or start the task anew, without --resume`;
    throw new HoldfastError('BAD_STATE', text, line > 0 ? { line } : {}, error);
  }
}

function lineOf(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Error('it is no object');
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function numbersIn(folder: string): number[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^\d{1,9}$/.test(name))
    .map(Number);
}

/** A rename is on the disk when its folder is. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  fsyncSync(fd);
  closeSync(fd);
}
