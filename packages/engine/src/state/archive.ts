import { sameValue } from '../content.ts';
import { HoldfastError } from '../errors.ts';
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
export interface Hidden<M> {
  readonly places: readonly number[];
  readonly messages: readonly M[];
  readonly eras: Eras;
}

export const NOTHING_HIDDEN: Hidden<never> = { places: [], messages: [], eras: [] };

/** The originals as any archive takes them. Pure. */
function entriesOf<M>({ places, messages, eras }: Hidden<M>): ArchiveEntry<M>[] {
  return messages.map((message, i) => ({ handle: handleOf(places[i] ?? 0, eras), message }));
}

/** What the message at a place held, where that is known. */
type HeldAt<M> = (place: number) => Snapshot<M> | undefined;

/** The key under which a window's own archive takes originals without names. */
const HIDE = Symbol('hide');

interface OwnArchive<M> extends Archive<M> {
  [HIDE](hidden: Hidden<M>, heldAt: HeldAt<M>): void;
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
  let unnamed: Hidden<Snapshot<M>> = NOTHING_HIDDEN;
  const all = () => {
    const hidden = unnamed;
    unnamed = NOTHING_HIDDEN;
    for (const { handle, message } of entriesOf(hidden)) named.set(handle, message);
    return named;
  };
  const archive: OwnArchive<M> = {
    put(entries) {
      const kept = all();
      for (const { handle, message } of kept.size > 0 ? entries : []) {
        const held = kept.get(handle);
        if (held && !sameValue(restored(held), message)) {
          const text = `the archive holds another message as ${handle}: use one archive for each conversation`;
          throw new HoldfastError('STORE_CONFLICT', text, { handle });
        }
      }
      for (const { handle, message } of entries) named.set(handle, snapshotOf(message));
    },
    [HIDE](hidden, heldAt) {
      if (all().size > 0) return archive.put(entriesOf(hidden));
      const messages = hidden.places.map((place, i) => heldAt(place) ?? snapshotOf(hidden.messages[i] as M));
      unnamed = { ...hidden, messages };
    },
    get(handle) {
      const held = all().get(handle);
      return held && restored(held);
    },
  };
  return archive;
}

/** Hands an archive what leaves the view, behind originals that were named before. */
export function archiveAll<M>(
  archive: Archive<M> | OwnArchive<M>,
  named: readonly ArchiveEntry<M>[],
  hidden: Hidden<M>,
  heldAt: HeldAt<M>,
): void | Promise<void> {
  if (named.length === 0 && HIDE in archive) return archive[HIDE](hidden, heldAt);
  return archive.put([...named, ...entriesOf(hidden)]);
}

/**
 * Which handles the messages of a history have: from each place on, the number of rewrites before it. A rewritten part gets
 * new handles, so that the archive never holds two messages under one name.
 */
export type Eras = readonly (readonly [from: number, era: number])[];

/** The handle of the message at this place of the history: `m41`, and `m41~1` after a rewrite before it. */
export function handleOf(index: number, eras: Eras): string {
  let low = 0;
  let high = eras.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((eras[middle]?.[0] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  const era = eras[low - 1]?.[1] ?? 0;
  return era === 0 ? `m${index}` : `m${index}~${era}`;
}

/** The handles of this run of messages, in order: one for each era, so that each says by itself what it names. */
export function runHandles(from: number, to: number, eras: Eras): string[] {
  const starts = eras.flatMap(([start]) => (start > from && start <= to ? start : []));
  return [from, ...starts].map((first, i) => {
    const last = (starts[i] ?? to + 1) - 1;
    return first === last ? handleOf(first, eras) : `${handleOf(first, eras)}-${handleOf(last, eras)}`;
  });
}

/** The eras after everything from this place on was rewritten. */
export function newEra(eras: Eras, from: number): Eras {
  return [...eras.filter(([start]) => start < from), [from, newestEra(eras) + 1]];
}

export function newestEra(eras: Eras): number {
  return eras.at(-1)?.[1] ?? 0;
}

/** A run of messages, or one result of a message, by places in the history and the era in which it was named. */
export interface Named {
  readonly from: number;
  readonly to: number;
  readonly eras: Eras;
  readonly part?: number;
}

/** What a handle names: `m41` a message, `m41.2` one of its results, `m12-m40` a run. Throws UNKNOWN_HANDLE. */
export function parseHandle(handle: string): Named {
  const match = /^m(\d+)(?:~(\d+))?(?:\.(\d+)|-m(\d+)(?:~(\d+))?)?$/.exec(handle.trim());
  if (!match)
    throw new HoldfastError('UNKNOWN_HANDLE', `"${handle}" is no handle such as m41, m41.2 or m12-m40`, {
      handle,
    });
  const [from, era, part, to, lastEra] = match
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  const eras: Eras = [[0, era ?? 0]];
  const first = from ?? 0;
  if (to !== undefined && to < first)
    throw new HoldfastError('UNKNOWN_HANDLE', `"${handle}" runs backwards`, { handle });
  return {
    from: first,
    to: to ?? first,
    eras: to === undefined || lastEra === era ? eras : [...eras, [to, lastEra ?? 0]],
    ...(part === undefined ? {} : { part }),
  };
}
