import { isDeepStrictEqual } from 'node:util';
import { type Archive, type ArchiveEntry, type Dialect, HoldfastError } from 'holdfast';
import type { SessionEntry, WireMessage } from '../entry.ts';
import { plainHandle, readHandle } from '../log/handles.ts';
import { maskEntry } from '../log/mask-entry.ts';
import { appendAnyway, type SessionWriter } from '../log/writer.ts';
import type { SessionStore } from '../store.ts';

/**
 * An archive on a session whose log already holds the messages: nothing is stored twice. A handle leads to the same message in
 * any later process; one that the store would resolve differently is recorded in the log. Pass the session's writer if the
 * process has one, so that both know the last entry. With `mask_keys`, recalled messages are masked. Scopes of handles are
 * ignored.
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
      return (await store.message(id, plainHandle(handle)))?.message as M | undefined;
    },
  };
}

/** The entry that a handle needs; undefined if it leads to its message anyway. */
async function nameFor<M>(
  store: SessionStore,
  id: string,
  entry: ArchiveEntry<M>,
  plain: (message: M) => unknown,
): Promise<SessionEntry | undefined> {
  const { message } = entry;
  const handle = plainHandle(entry.handle);
  const wanted = plain(message);
  const isIt = (found: { readonly message: WireMessage } | undefined) =>
    found !== undefined && isDeepStrictEqual(plain(found.message as M), wanted);
  const place = readHandle(handle)?.place;
  if (place === undefined)
    throw new HoldfastError('UNKNOWN_HANDLE', `"${handle}" does not name a single message`, { handle });
  const found = await store.message(id, handle);
  // A message that is only at that position may be rewound.
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

/** The entry of a message that was at this position before a rewind. */
async function olderAt(
  store: SessionStore,
  id: string,
  place: number,
  isIt: (found: { readonly message: WireMessage }) => boolean,
): Promise<number | undefined> {
  const rewinds = (await store.read(id, { types: ['rewind'] })).items.length;
  for (let revision = rewinds; revision >= 0; revision--) {
    const found = await store.message(id, revision === 0 ? `m${place}` : `m${place}~${revision}`);
    if (found?.index === place && isIt(found)) return found.seq;
  }
  return undefined;
}

/** The message as stored, without cache markers, which change with every request. */
function plainForm<M>(store: SessionStore, dialect: Pick<Dialect<M>, 'withMarkers'>, message: M): unknown {
  const plain = JSON.parse(JSON.stringify(dialect.withMarkers(message, 0)));
  if (!store.mask_keys) return plain;
  const masked = maskEntry({ type: 'message', message: plain });
  return masked.type === 'message' ? masked.message : plain;
}
