import { existsSync } from 'node:fs';
import { checkFile } from '@holdfast/sessions';
import { isHoldfastError } from 'holdfast';
import type { Context } from '../context.ts';
import { ownStoreFile, ownStoreText, readOwnStore } from '../sessions/open-store.ts';
import { bytes } from '../sessions/session-text.ts';
import { counted } from '../view/amounts.ts';
import { clean, shellWord } from '../view/clean.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks that the user's own store can be read, and that its file is sound. Writes nothing. */
export async function examineStore(context: Context): Promise<Finding> {
  const about = 'sessions';
  let file: string | undefined;
  try {
    file = ownStoreFile(undefined, context);
  } catch (error) {
    // The user's own configuration names the store, and cannot be read.
    if (!isHoldfastError(error)) throw error;
    return problem(about, clean(error.message), MEANWHILE);
  }
  try {
    if (file !== undefined && !existsSync(file)) return ok(about, 'none yet');
    const checked = file === undefined ? undefined : await checkFile(file);
    const damage = checked?.damage.map(clean).join('; ') ?? '';
    if (damage !== '' && checked?.isDerived)
      return warning(about, `an index of ${file} is damaged: ${damage}`, '`holdfast sessions verify` rebuilds it');
    if (damage !== '') return problem(about, `${file} is damaged: ${damage}`, salvageAdvice(file ?? ''));
    const count = (await readOwnStore({}, context, (store) => store.list())).length;
    const size = checked ? `, ${bytes(checked.bytes)}` : '';
    return ok(about, `${counted(count, 'session')} in ${ownStoreText(undefined, context)}${size}`);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    // The message says how to mend it.
    const advice = file === undefined ? 'check the server and its address' : MEANWHILE;
    return problem(about, clean(error.message), advice);
  }
}

function salvageAdvice(file: string): string {
  return `\`holdfast sessions salvage ${shellWord(file)} NEW.db\`, or restore a backup; ${MEANWHILE}`;
}

const MEANWHILE = 'until then, `--store OTHER.db` uses another store';
