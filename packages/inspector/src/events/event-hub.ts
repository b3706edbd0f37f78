import { setTimeout } from 'node:timers/promises';
import type { SessionInfo, SessionStore } from '@holdfast/sessions';
import type { ServerEvent, SessionRow } from '../api/types.ts';
import { createReader, type Reader } from './reader.ts';

/** Tells many readers what changed in a store, with one look at it for all of them. */
export type EventHub = ReturnType<typeof createEventHub>;

export interface HubOptions {
  rows(infos: readonly SessionInfo[]): Promise<SessionRow[]>;
  /** Between two looks at the store. */
  readonly pollMs?: number;
  /** Between signs of life. */
  readonly heartbeatMs?: number;
  /** A reader that takes nothing for this long is dropped. */
  readonly stallMs?: number;
}

const POLL_MS = 1_000;
const HEARTBEAT_MS = 15_000;
const STALL_MS = 60_000;
const MOST_READERS = 200;
/** Sessions in one look; after a burst, the next looks see only the last used of them. */
const PAGE = 200;
/** Looks between two checks whether watched sessions still exist. */
const GONE_EVERY = 10;

export function createEventHub(store: Pick<SessionStore, 'list' | 'info'>, options: HubOptions) {
  const { pollMs = POLL_MS, heartbeatMs = HEARTBEAT_MS, stallMs = STALL_MS, rows } = options;
  const readers = new Set<Reader>();
  /** The sessions that the last look has seen, and whether they were live; undefined before the first look. */
  let seen: Map<string, Pick<SessionRow, 'last' | 'live'>> | undefined;
  let beat: NodeJS.Timeout | undefined;
  let looks = 0;
  /** Counts how often the first reader came. */
  let rounds = 0;

  const tell = (event: ServerEvent, isFor: (reader: Reader) => boolean) => {
    for (const reader of readers) if (isFor(reader)) reader.tell(event);
  };
  const look = async (): Promise<void> => {
    const page = await rows(await store.list({ limit: PAGE }));
    const before = seen;
    seen = new Map(page.map(({ id, last, live }) => [id, { last, live }]));
    if (!before) return;
    const changed = page.filter(({ id, last, live }) => {
      const known = before.get(id);
      return known?.last !== last || known.live !== live;
    });
    if (changed.length > 0) tell({ type: 'sessions', sessions: changed }, ({ session }) => session === undefined);
    for (const { id, last, messages, folds } of changed) {
      const from = (before.get(id)?.last ?? 0) + 1;
      tell({ type: 'session', session: id, from, last, messages, folds }, ({ session }) => session === id);
    }
    if (++looks % GONE_EVERY === 0) await findGone();
  };
  const findGone = async (): Promise<void> => {
    const watched = new Set([...readers].flatMap(({ session }) => session ?? []));
    for (const id of watched)
      if (!seen?.has(id) && !(await store.info(id)))
        tell({ type: 'gone', session: id }, ({ session }) => session === id);
  };
  /** Looks until the last reader is gone. */
  const watch = async (round: number): Promise<void> => {
    while (round === rounds && readers.size > 0) {
      // A store that fails for a moment is asked again.
      await look().catch(() => {});
      await setTimeout(pollMs, undefined, { ref: false });
    }
  };
  const start = () => {
    seen = undefined;
    void watch(++rounds);
    beat = setInterval(() => {
      for (const reader of readers) reader.beat(stallMs);
    }, heartbeatMs);
    beat.unref();
  };
  return {
    /** Events as a stream of bytes, until it is cancelled. Undefined if there are too many readers. */
    open(session?: string): ReadableStream<Uint8Array> | undefined {
      if (readers.size >= MOST_READERS) return undefined;
      const reader: Reader = createReader(session, () => {
        readers.delete(reader);
        if (readers.size === 0) clearInterval(beat);
      });
      readers.add(reader);
      if (readers.size === 1) start();
      return reader.stream;
    },
    /** How many readers there are. */
    get readers(): number {
      return readers.size;
    },
    /** Ends all streams. */
    close(): void {
      for (const reader of readers) reader.end();
    },
  };
}
