import { sameValue } from '../content.ts';
import { HoldfastError } from '../errors.ts';
import { handleOf, type Revisions } from '../text/handles.ts';
import { restored, type Snapshot, snapshotOf } from '../turns/snapshot.ts';

/** A message that left the view, whole or in part, and its name. */
export interface ArchiveEntry<M> {
  readonly handle: string;
  readonly message: M;
}

/**
 * Where the originals of masked and dropped messages lie. One archive serves one conversation. `put` is awaited before any
 * view without those messages is returned; putting the same entry again must do nothing.
 */
export interface Archive<M = unknown> {
  put(entries: readonly ArchiveEntry<M>[]): void | Promise<void>;
  get(handle: string): M | undefined | Promise<M | undefined>;
}

/** Originals that leave the view, each with its place in the history; named when somebody asks for them. */
export interface Removed<M> {
  readonly places: readonly number[];
  readonly messages: readonly M[];
  readonly revisions: Revisions;
}

export const NOTHING_REMOVED: Removed<never> = { places: [], messages: [], revisions: [] };

/** The originals as any archive takes them. Pure. */
function entriesOf<M>({ places, messages, revisions }: Removed<M>): ArchiveEntry<M>[] {
  return messages.map((message, i) => ({ handle: handleOf(places[i] ?? 0, revisions), message }));
}

/** What the message at a place snapshot, where that is known. */
type SnapshotAt<M> = (place: number) => Snapshot<M> | undefined;

/** The key under which a window's own archive takes originals without names. */
const PUT_UNNAMED = Symbol('put unnamed');

interface OwnArchive<M> extends Archive<M> {
  [PUT_UNNAMED](removed: Removed<M>, snapshotAt: SnapshotAt<M>): void;
}

/** An archive in memory, of copies. STORE_CONFLICT if a handle would name two messages. */
export function memoryArchive<M = unknown>(): Archive<M> {
  // Callers put methods of their own in place of these: nothing may go past them.
  const { put, get } = ownArchive<M>();
  return { put, get };
}

/** The archive of a window that was given none. */
export function ownArchive<M>(): Archive<M> {
  const named = new Map<string, Snapshot<M>>();
  // Named when they are first asked for: a cold start hides a whole history at once.
  let unnamed: Removed<Snapshot<M>> = NOTHING_REMOVED;
  const all = () => {
    const removed = unnamed;
    unnamed = NOTHING_REMOVED;
    for (const { handle, message } of entriesOf(removed)) named.set(handle, message);
    return named;
  };
  const archive: OwnArchive<M> = {
    put(entries) {
      const kept = all();
      for (const { handle, message } of kept.size > 0 ? entries : []) {
        const snapshot = kept.get(handle);
        if (snapshot && !sameValue(restored(snapshot), message)) {
          const text = `the archive holds another message as ${handle}: use one archive for each conversation`;
          throw new HoldfastError('STORE_CONFLICT', text, { handle });
        }
      }
      for (const { handle, message } of entries) named.set(handle, snapshotOf(message));
    },
    [PUT_UNNAMED](removed, snapshotAt) {
      if (all().size > 0) return archive.put(entriesOf(removed));
      const messages = removed.places.map((place, i) => snapshotAt(place) ?? snapshotOf(removed.messages[i] as M));
      unnamed = { ...removed, messages };
    },
    get(handle) {
      const snapshot = all().get(handle);
      return snapshot && restored(snapshot);
    },
  };
  return archive;
}

/** Hands an archive what leaves the view, behind originals that were named before. */
export function archiveAll<M>(
  archive: Archive<M> | OwnArchive<M>,
  named: readonly ArchiveEntry<M>[],
  removed: Removed<M>,
  snapshotAt: SnapshotAt<M>,
): void | Promise<void> {
  if (named.length === 0 && PUT_UNNAMED in archive) return archive[PUT_UNNAMED](removed, snapshotAt);
  return archive.put([...named, ...entriesOf(removed)]);
}
