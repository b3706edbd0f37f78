import { isDeepStrictEqual } from 'node:util';
import { type Archive, type ArchiveEntry, type Dialect, HoldfastError } from 'holdfast';
import type { SessionEntry, WireMessage } from '../entry.ts';
import { readHandle } from '../log/head.ts';
import { maskEntry } from '../log/mask-entry.ts';
import { appendAnyway, type SessionWriter } from '../log/writer.ts';
import type { SessionStore } from '../store.ts';

/**
 * An archive on a session whose messages are in its log already: no byte is stored twice. What a handle names is found there
 * in any later process, the same message; a handle that the store would take for another message is recorded in the log. Give
 * the session's writer where the process has one, so that both go on from the same entry. With `mask_keys` what comes back
 * is masked.
 */
export function sessionArchive<M = unknown>(
  store: SessionStore,
  session: string | Pick<SessionWriter, 'id' | 'append'>,
  dialect: Pick<Dialect<M>, 'withMarkers'>,
): Archive<M> {
  const id = typeof session === 'string' ? session : session.id;
  const append = (entries: readonly SessionEntry[]) =>
    typeof session === 'string' ? appendAnyway(store, id, entries) : session.append(entries);
  const plain = (message: M) => plainForm(store, dialect, message);
  return {
    async put(entries) {
      const fresh: SessionEntry[] = [];
      for (const entry of entries) {
        const named = await nameFor(store, id, entry, plain);
        if (named) fresh.push(named);
      }
      if (fresh.length > 0) await append(fresh);
    },
    async get(handle) {
      return (await store.message(id, handle))?.message as M | undefined;
    },
  };
}

/** What must be recorded for a handle; undefined if it leads to its message as it is. */
async function nameFor<M>(
  store: SessionStore,
  id: string,
  { handle, message }: ArchiveEntry<M>,
  plain: (message: M) => unknown,
): Promise<SessionEntry | undefined> {
  const wanted = plain(message);
  const isIt = (found: { readonly message: WireMessage } | undefined) =>
    found !== undefined && isDeepStrictEqual(plain(found.message as M), wanted);
  const place = readHandle(handle)?.place;
  if (place === undefined) throw new HoldfastError('UNKNOWN_HANDLE', `"${handle}" names no single message`, { handle });
  const found = await store.message(id, handle);
  // What merely stands there now may be taken back.
  if (isIt(found) && found?.by !== 'place') return undefined;
  if (found?.by === 'record') {
    const text = `session ${id} holds another message as ${handle}: use one archive for each conversation`;
    throw new HoldfastError('STORE_CONFLICT', text, { handle });
  }
  const now = await store.message(id, place);
  if (isIt(now) && now) return { type: 'handle', handle, seq: now.seq };
  const older = await olderAt(store, id, place, isIt);
  if (older !== undefined) return { type: 'handle', handle, seq: older };
  return { type: 'handle', handle, message: JSON.parse(JSON.stringify(message)) as WireMessage };
}

/** A message that stood at this place before the history was rewound, by its sequence number. */
async function olderAt(
  store: SessionStore,
  id: string,
  place: number,
  isIt: (found: { readonly message: WireMessage }) => boolean,
): Promise<number | undefined> {
  const rewinds = (await store.read(id, { types: ['rewind'] })).items.length;
  for (let era = rewinds; era >= 0; era--) {
    const found = await store.message(id, era === 0 ? `m${place}` : `m${place}~${era}`);
    if (found?.index === place && isIt(found)) return found.seq;
  }
  return undefined;
}

/** As it lies on the disk, without cache markers: those move from call to call. */
function plainForm<M>(store: SessionStore, dialect: Pick<Dialect<M>, 'withMarkers'>, message: M): unknown {
  const plain = JSON.parse(JSON.stringify(dialect.withMarkers(message, 0)));
  if (!store.mask_keys) return plain;
  const masked = maskEntry({ type: 'message', message: plain });
  return masked.type === 'message' ? masked.message : plain;
}
