import type { Track } from './identity.ts';

/** Messages that two histories must share for one to be the other without its beginning. */
const LEAST_SHARED = 4;
/** Ends of conversations that are remembered. */
const MOST_ENDS = 10_000;

/** A conversation that another one has replaced. */
interface Replaced<T> {
  readonly track: T;
  /** When it had last been used at that point. */
  readonly used: number;
}

/** Knows which conversations continue with another beginning because a client trims their histories. */
export interface Succession<T extends Track> {
  /** Notes where a stored conversation ends. `place`: only conversations of one place are compared. */
  note(place: string, track: T): void;
  /**
   * For a conversation that is stored for the first time: the one two before it, if it was not used since it was replaced.
   * Nobody will continue it or read its handles. The one directly before it stays, for handles that the model may still see.
   */
  obsolete(place: string, track: T, sketches: readonly string[]): T | undefined;
}

/** Remembers nothing of earlier processes. */
export function createSuccession<T extends Track>(): Succession<T> {
  const ends = new Map<string, T>();
  const before = new WeakMap<T, Replaced<T>>();
  return {
    note(place, track) {
      const end = `${place}\u0000${track.sketches.at(-1)}`;
      ends.delete(end);
      ends.set(end, track);
      const [oldest] = ends.keys();
      if (ends.size > MOST_ENDS && oldest !== undefined) ends.delete(oldest);
    },
    obsolete(place, track, sketches) {
      for (let end = sketches.length; end >= LEAST_SHARED; end--) {
        const known = ends.get(`${place}\u0000${sketches[end - 1]}`);
        if (!known || known === track || !isTrimmed(known.sketches, sketches.slice(0, end))) continue;
        before.set(track, { track: known, used: known.used });
        const older = before.get(known);
        return older?.track.used === older?.used ? older?.track : undefined;
      }
      return undefined;
    },
  };
}

/** True if `rest` is `whole` with messages removed between its first ones, if any, and its last ones. Pure. */
function isTrimmed(whole: readonly string[], rest: readonly string[]): boolean {
  const differs = rest.findIndex((sketch, at) => sketch !== whole[at]);
  if (whole.length <= rest.length || differs < 0) return false;
  const tail = rest.slice(differs);
  return tail.length >= LEAST_SHARED && tail.every((sketch, at) => sketch === whole.at(at - tail.length));
}
