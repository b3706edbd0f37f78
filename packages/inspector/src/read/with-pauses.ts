import { setImmediate } from 'node:timers/promises';

/** Items to read before others have their turn: a store in this process reads without a pause. */
const EVERY = 200;

/** The same items, with a pause now and then, so that reading a long session does not hold up the requests of others. */
export async function* withPauses<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  let count = 0;
  for await (const item of items) {
    if (++count % EVERY === 0) await setImmediate();
    yield item;
  }
}
