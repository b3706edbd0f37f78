import { HoldfastError } from '../errors.ts';
import { handleOf, type Revisions } from '../handles/handles.ts';
import { sameValue } from '../json/same-value.ts';
import { restored, type Snapshot, snapshotOf } from '../turns/snapshot.ts';

/** A message that left the view, wholly or in part, and its handle. */
export interface ArchiveEntry<M> {
  readonly handle: string;
  readonly message: M;
}

/**
 * Stores the originals of masked and dropped messages of one conversation. The window awaits `put` before it returns a view
 * without those messages. Putting the same entry again must do nothing.
 */
export interface Archive<M = unknown> {
  put(entries: readonly ArchiveEntry<M>[]): void | Promise<void>;
  get(handle: string): M | undefined | Promise<M | undefined>;
}

/** Messages that follow each other, from this index of the history on. */
export interface ArchivedRun<M> {
  readonly from: number;
  readonly messages: readonly M[];
}

/** Originals that leave the view. Their handles are made on first use. */
export interface Removed<M> {
  readonly runs: readonly ArchivedRun<M>[];
  readonly revisions: Revisions;
}

export const NOTHING_REMOVED: Removed<never> = { runs: [], revisions: [] };

/** The originals with their handles, in the order of the history. Pure. */
function entriesOf<M>({ runs, revisions }: Removed<M>): ArchiveEntry<M>[] {
  return runs
    .toSorted((one, other) => one.from - other.from)
    .flatMap(({ from, messages }) =>
      messages.map((message, i) => ({ handle: handleOf(from + i, revisions), message })),
    );
}

/** Looks up the snapshot of the message at an index, if there is one. */
type SnapshotAt<M> = (place: number) => Snapshot<M> | undefined;

/** The key of the method that takes originals without handles, which only a window's own archive has. */
const PUT_UNNAMED = Symbol('put unnamed');

interface OwnArchive<M> extends Archive<M> {
  [PUT_UNNAMED](removed: Removed<M>, snapshotAt: SnapshotAt<M>): void;
}

/** An archive of copies in memory. Throws STORE_CONFLICT if two messages have the same handle. */
export function memoryArchive<M = unknown>(): Archive<M> {
  // Callers may replace these methods, so nothing may bypass them.
  const { put, get } = ownArchive<M>();
  return { put, get };
}

/** The default archive of a window. */
export function ownArchive<M>(): Archive<M> {
  const named = new Map<string, Snapshot<M>>();
  // Handles are made on first use: a cold start removes a whole history in one step.
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
          const text = `the archive has another message as ${handle}: use one archive per conversation`;
          throw new HoldfastError('STORE_CONFLICT', text, { handle });
        }
      }
      for (const { handle, message } of entries) named.set(handle, snapshotOf(message));
    },
    [PUT_UNNAMED](removed, snapshotAt) {
      if (all().size > 0) return archive.put(entriesOf(removed));
      const runs = removed.runs.map(({ from, messages }) => ({
        from,
        messages: messages.map((message, i) => snapshotAt(from + i) ?? snapshotOf(message)),
      }));
      unnamed = { ...removed, runs };
    },
    get(handle) {
      const snapshot = all().get(handle);
      return snapshot && restored(snapshot);
    },
  };
  return archive;
}

/** Archives what leaves the view, after originals that already have handles. */
export function archiveAll<M>(
  archive: Archive<M> | OwnArchive<M>,
  named: readonly ArchiveEntry<M>[],
  removed: Removed<M>,
  snapshotAt: SnapshotAt<M>,
): void | Promise<void> {
  if (named.length === 0 && PUT_UNNAMED in archive) return archive[PUT_UNNAMED](removed, snapshotAt);
  return archive.put([...named, ...entriesOf(removed)]);
}
