import { HoldfastError } from 'holdfast';
import type { SessionStore } from '../store.ts';

/** The store without its writing methods. */
export function readOnly(store: SessionStore): SessionStore {
  const refuse = async (): Promise<never> => {
    throw new HoldfastError('BAD_STATE', 'a snapshot cannot be written to: write to the store itself');
  };
  const moment: SessionStore = {
    ...store,
    create: refuse,
    append: refuse,
    delete: refuse,
    snapshot: (work) => work(moment),
  };
  return moment;
}
