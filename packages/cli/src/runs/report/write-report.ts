import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SessionStore } from '@holdfast/sessions';
import { WrongUse } from '../../failure.ts';
import { type FoundRun, findRun } from '../find-run.ts';
import { readHistory } from '../history.ts';
import { runPage } from './page.ts';

/** Writes the report of a run, and returns its path. Throws WrongUse if it cannot be written. */
export async function writeReport(store: SessionStore, run: FoundRun, cwd: string, file: string): Promise<string> {
  const page = runPage(run, await readHistory(store, run.info.id));
  const path = resolve(cwd, file);
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, page);
    return path;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(
      `cannot write ${file} (${code}): \`holdfast runs report ${run.info.id} -o FILE\` writes it elsewhere`,
      error,
    );
  }
}

/** The same for a session's id. */
export async function reportOf(
  store: SessionStore,
  home: string,
  id: string,
  cwd: string,
  file: string,
): Promise<string> {
  return writeReport(store, await findRun(store, home, id), cwd, file);
}
