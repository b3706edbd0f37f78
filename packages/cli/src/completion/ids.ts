import { isHoldfastError } from 'holdfast';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { readOwnStore } from '../sessions/open-store.ts';
import { clean } from '../view/clean.ts';
import { cut } from '../view/text.ts';
import type { IdKind } from './shape.ts';

const MOST = 200;
const TITLE_COLUMNS = 50;

/** Prints the newest ids with their titles, a tab between them. Reads only the user's own store; prints nothing if it cannot. */
export async function printIds(kind: IdKind, context: Context): Promise<void> {
  try {
    const all = await readOwnStore({}, context, (store) => store.list({ limit: MOST }));
    const some = all.filter((info) => kind === 'sessions' || `${info.kind ?? 'chat'}s` === kind);
    for (const { id, title } of some) context.print(`${id}\t${cut(clean(title), TITLE_COLUMNS)}`);
  } catch (error) {
    // A shell would show an error in the middle of the line.
    if (!isHoldfastError(error) && !(error instanceof WrongUse)) throw error;
  }
}
