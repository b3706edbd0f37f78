import { HoldfastError } from 'holdfast';
import type { SessionStore } from '../store.ts';

/**
 * A store whose calls reject with BAD_STORE after this many milliseconds, opening it included. For as long again, all calls then
 * reject at once, so that nobody waits for each of them. `open` is called for every call.
 */
export function impatientStore(open: () => SessionStore | PromiseLike<SessionStore>, ms: number): SessionStore {
  let hangsUntil = 0;
  const late = () => new HoldfastError('BAD_STORE', `the store did not answer within ${ms / 1_000} s`);
  const limited = async <T>(work: (store: SessionStore) => Promise<T>): Promise<T> => {
    if (Date.now() < hangsUntil) throw late();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        hangsUntil = Date.now() + ms;
        reject(late());
      }, ms);
    });
    return Promise.race([(async () => work(await open()))(), limit]).finally(() => clearTimeout(timer));
  };
  return {
    // No user of this store asks, and it is unknown until the store is open.
    mask_keys: false,
    create: (...given) => limited((store) => store.create(...given)),
    append: (...given) => limited((store) => store.append(...given)),
    read: (...given) => limited((store) => store.read(...given)),
    history: (...given) => limited((store) => store.history(...given)),
    message: (...given) => limited((store) => store.message(...given)),
    info: (...given) => limited((store) => store.info(...given)),
    list: (...given) => limited((store) => store.list(...given)),
    find: (...given) => limited((store) => store.find(...given)),
    search: (...given) => limited((store) => store.search(...given)),
    delete: (...given) => limited((store) => store.delete(...given)),
    close: async () => (await open()).close(),
  };
}
