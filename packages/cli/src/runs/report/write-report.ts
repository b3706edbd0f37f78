import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SessionStore } from '@holdfast/sessions';
import { orWrongUse } from '../../failure.ts';
import { type FoundRun, findRun } from '../find-run.ts';
import { readHistory } from '../history.ts';
import { runPage } from './page.ts';

/** Writes the report of a run, and returns its path. Throws WrongUse if it cannot be written. */
export async function writeReport(store: SessionStore, run: FoundRun, cwd: string, file: string): Promise<string> {
  const page = runPage(run, await readHistory(store, run.info.id));
  const path = resolve(cwd, file);
  orWrongUse(`write ${file}`, `\`holdfast runs report ${run.info.id} -o FILE\` writes it elsewhere`, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, page);
  });
  return path;
}

/** The same for a session's id. */
export async function reportOf(store: SessionStore, id: string, cwd: string, file: string): Promise<string> {
  return writeReport(store, await findRun(store, id), cwd, file);
}
