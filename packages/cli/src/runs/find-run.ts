import { readRun, type SavedRun } from '@holdfast/agent';
import type { SessionInfo, SessionStore } from '@holdfast/sessions';
import { HoldfastError, isHoldfastError } from 'holdfast';
import { WrongUse } from '../failure.ts';

/** A run, and its session. */
export interface FoundRun {
  readonly info: SessionInfo;
  readonly saved: SavedRun;
}

/** The newest runs in a store, at most `limit` (0: all). */
export async function listRuns(store: SessionStore, limit: number): Promise<FoundRun[]> {
  const found: FoundRun[] = [];
  for await (const run of eachRun(store)) {
    if (limit > 0 && found.length >= limit) break;
    found.push(run);
  }
  return found;
}

/** All runs, the newest first. */
async function* eachRun(store: SessionStore): AsyncGenerator<FoundRun> {
  for (const info of await store.list()) {
    const saved = info.kind === 'run' ? await readRun(store, info.id) : undefined;
    if (saved) yield { info, saved };
  }
}

/** The run whose id starts with this. Throws WrongUse or UNKNOWN_SESSION. */
export async function findRun(store: SessionStore, prefix: string): Promise<FoundRun> {
  if (prefix === '') throw new WrongUse('the run id is empty: pass the start of an id from `holdfast runs list`');
  const info = await store.find(prefix).catch((error: unknown) => {
    if (!isHoldfastError(error) || error.code !== 'UNKNOWN_SESSION') throw error;
    if ((error.details.candidates as readonly string[]).length > 0) throw error;
    throw new HoldfastError(error.code, `unknown run ${prefix}: see \`holdfast runs list\``, error.details);
  });
  const saved = await readRun(store, info.id);
  if (!saved) throw new WrongUse(`session ${info.id} is not a run: \`holdfast runs list\` shows runs`);
  return { info, saved };
}

/** The newest run of a folder; with `unfinished`, the newest that is not complete. Throws WrongUse if there is none. */
export async function newestIn(store: SessionStore, folder: string, unfinished = false): Promise<FoundRun> {
  for await (const run of eachRun(store))
    if (run.saved.workspace === folder && !(unfinished && run.saved.status === 'completed')) return run;
  const none = unfinished ? `no run in ${folder} is unfinished` : `there is no run in ${folder}`;
  throw new WrongUse(`${none}: \`holdfast runs list\` shows all; pass the id of one`);
}
