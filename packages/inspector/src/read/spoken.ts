import { eachMessage, type SessionStore } from '@holdfast/sessions';
import { type Spoken, spokenIn } from '../data/crew-turns.ts';
import { createCache } from './bounded-cache.ts';
import type { Indexed } from './indexes.ts';
import { withPauses } from './with-pauses.ts';

/** Who said each message of a crew's session; each is read once. */
export type SpokenSessions = ReturnType<typeof createSpoken>;

const MOST = 10;

export function createSpoken(store: SessionStore) {
  const cache = createCache<{ spoken: Spoken[]; created: number; rewinds: number; busy: Promise<unknown> }>(MOST);
  return {
    async of({ info, index }: Indexed): Promise<readonly Spoken[]> {
      const { id, created, last, messages } = info;
      let kept = cache.get(id);
      if (kept?.created !== created || kept.rewinds !== index.rewinds.length)
        kept = { spoken: [], created, rewinds: index.rewinds.length, busy: Promise.resolve() };
      cache.set(id, kept);
      const { spoken } = kept;
      const next = kept.busy.then(async () => {
        for await (const placed of withPauses(eachMessage(store, id, spoken.length, { last, messages })))
          spoken.push(spokenIn(placed, spoken.at(-1)?.agent));
      });
      kept.busy = next.catch(() => cache.delete(id));
      await next;
      return spoken;
    },
  };
}
