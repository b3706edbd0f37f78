import { cpSync, existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { importRunFolder, RUN_FILE, runPrefix } from '@holdfast/agent/internal';
import type { SessionStore } from '@holdfast/sessions';
import { outputsFolder } from '../sessions/output-files.ts';

/** The folder of the newest run of a task that version 0.1 kept; undefined if there is none. */
export function oldRunOf(home: string, task: string): string | undefined {
  const runs = join(home, 'runs', runPrefix(task).slice(0, -1));
  return runsIn(runs).at(-1);
}

/** The number of the newest run of a task that version 0.1 kept, whose id no new run may take; 0 if there is none. */
export function oldNumber(home: string, task: string): number {
  return Number(basename(oldRunOf(home, task) ?? '0'));
}

/** All run folders that version 0.1 kept. */
export function oldRuns(home: string): string[] {
  const all = join(home, 'runs');
  return existsSync(all) ? readdirSync(all).flatMap((name) => runsIn(join(all, name))) : [];
}

function runsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder).filter((name) => /^\d{1,9}$/.test(name));
  return numbers
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, RUN_FILE)));
}

/** The id that an old run has as a session. Pure. */
export function oldRunId(folder: string): string {
  return `${basename(dirname(folder))}-${basename(folder)}`;
}

/** Brings an old run into the store, with the long outputs of its tools; the folder stays. Throws BAD_STATE. */
export async function importOldRun(
  store: SessionStore,
  home: string,
  folder: string,
  named = oldRunId(folder),
): Promise<string> {
  const id = await importRunFolder(store, folder, named);
  const outputs = join(folder, 'outputs');
  if (existsSync(outputs)) cpSync(outputs, outputsFolder(home, id), { recursive: true });
  return id;
}
