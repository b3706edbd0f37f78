import type { ServerEvent, SessionRow } from '../api/types.ts';

/** One reader of a stream of events. It never holds up others: what it has not taken yet is joined. */
export type Reader = ReturnType<typeof createReader>;

/** Chunks that a reader may leave unread before events are joined. */
const UNREAD = 8;
/** Sessions in one joined event; those used longest ago are left out. */
const MOST_ROWS = 200;

/** `session`: the one that it watches; undefined for the list. `onEnd` is called once, when the stream is over for any reason. */
export function createReader(session: string | undefined, onEnd: () => void) {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let takenAt = Date.now();
  /** What to send as soon as the reader takes something. */
  let waiting: ServerEvent | undefined;
  const send = (text: string) => controller?.enqueue(encoder.encode(text));
  const over = () => {
    if (!controller) return;
    controller = undefined;
    onEnd();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        send('retry: 2000\n\n');
      },
      pull() {
        takenAt = Date.now();
        if (waiting) send(eventText(waiting));
        waiting = undefined;
      },
      cancel: over,
    },
    { highWaterMark: UNREAD },
  );
  return {
    session,
    stream,
    tell(event: ServerEvent): void {
      if ((controller?.desiredSize ?? 0) > 0) send(eventText(event));
      else waiting = waiting ? joined(waiting, event) : event;
    },
    /** Sends a sign of life, or ends the stream if the reader has taken nothing for `stallMs`. */
    beat(stallMs: number): void {
      if ((controller?.desiredSize ?? 0) > 0) send(': alive\n\n');
      else if (Date.now() - takenAt > stallMs) this.end();
    },
    end(): void {
      controller?.close();
      over();
    },
  };
}

function eventText(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** One event for two. Pure. */
function joined(older: ServerEvent, newer: ServerEvent): ServerEvent {
  if (older.type === 'session' && newer.type === 'session') return { ...newer, from: Math.min(older.from, newer.from) };
  if (older.type !== 'sessions' || newer.type !== 'sessions') return newer;
  const rows = new Map<string, SessionRow>();
  for (const row of [...newer.sessions, ...older.sessions]) if (!rows.has(row.id)) rows.set(row.id, row);
  return { type: 'sessions', sessions: [...rows.values()].slice(0, MOST_ROWS) };
}
