import { HoldfastError } from 'holdfast';
import type { SessionStore } from '../store.ts';

/** The store without its writing methods. */
export function readOnly(store: SessionStore): SessionStore {
  const refuse = async (): Promise<never> => {
    throw new HoldfastError('BAD_STATE', 'the store is open for reading only: open it again to write');
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
