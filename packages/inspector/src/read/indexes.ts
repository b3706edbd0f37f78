import {
  eachEntry,
  type SessionEntryType,
  type SessionInfo,
  type SessionStore,
  unknownSession,
} from '@holdfast/sessions';
import type { ModelLookup } from '../data/call-costs.ts';
import { INDEXED, SessionIndex, wantsMessages } from '../data/session-index.ts';
import { createCache } from './bounded-cache.ts';
import { withPauses } from './with-pauses.ts';

/** A session and everything its index says, up to its last entry. */
export interface Indexed {
  readonly info: SessionInfo;
  readonly index: SessionIndex;
}

/** Reads each entry of a session once, however often it is asked for. */
export type Indexes = ReturnType<typeof createIndexes>;

/** Sessions whose index stays in memory. */
const MOST = 20;

interface Kept {
  index: SessionIndex;
  /** When the session was created: one with the same id may be another one. */
  created: number;
  busy: Promise<unknown>;
}

export function createIndexes(store: SessionStore, models?: ModelLookup) {
  const cache = createCache<Kept>(MOST);
  const fresh = (created: number): Kept => ({ index: new SessionIndex(models), created, busy: Promise.resolve() });
  return {
    /** Throws UNKNOWN_SESSION. */
    async of(session: string): Promise<Indexed> {
      const info = await store.info(session);
      if (!info) throw unknownSession(session);
      let kept = cache.get(session);
      if (!kept || kept.created !== info.created) kept = fresh(info.created);
      cache.set(session, kept);
      const { index } = kept;
      // Concurrent requests must not add the same entries.
      const next = kept.busy.then(() => extend(store, info, index));
      kept.busy = next.catch(() => cache.delete(session));
      await next;
      return { info, index };
    },
  };
}

async function extend(store: SessionStore, info: SessionInfo, index: SessionIndex): Promise<void> {
  if (info.last <= index.last) return;
  const types: readonly SessionEntryType[] = info.kind === 'crew' ? [...INDEXED, 'request'] : INDEXED;
  // A damaged entry must not hide the others.
  const options = { from: index.last + 1, types, onBroken: () => {} };
  for await (const stored of withPauses(eachEntry(store, info.id, options))) {
    const messages = wantsMessages(stored.entry) ? await messagesAt(store, info.id, stored.seq, index) : 0;
    index.add(stored, messages);
  }
  index.last = Math.max(index.last, info.last);
}

/** How many messages the history had after an entry. */
async function messagesAt(store: SessionStore, session: string, seq: number, { rewinds }: SessionIndex) {
  const options = { types: ['message'] as const, reverse: true, from: seq, limit: 1, onBroken: () => {} };
  const [newest] = (await store.read(session, options)).items;
  const since = rewinds.filter((rewind) => rewind.seq > (newest?.seq ?? 0)).map(({ to }) => to);
  const found = newest && (await store.message(session, `#${newest.seq}`));
  return Math.min(found ? found.index + 1 : 0, ...since);
}
