import { useEffect, useRef } from 'preact/hooks';
import type { ServerEvent } from '../../src/api/types.ts';
import { ask } from './api.ts';
import { readStream } from './event-stream.ts';

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/** Calls back for what changes on the server, and connects again after a break. With a session, also for its changes. */
export function useEvents(session: string | undefined, onEvent: (event: ServerEvent) => void): void {
  const latest = useRef(onEvent);
  latest.current = onEvent;
  useEffect(() => {
    const leave = new AbortController();
    void follow(session, leave.signal, (event) => latest.current(event));
    return () => leave.abort();
  }, [session]);
}

async function follow(session: string | undefined, signal: AbortSignal, tell: (event: ServerEvent) => void) {
  const path = session === undefined ? 'events' : `events?session=${encodeURIComponent(session)}`;
  for (let wait = FIRST_WAIT; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      for await (const { data } of readStream(await ask(path, { signal }))) {
        wait = FIRST_WAIT;
        if (data !== '') tell(JSON.parse(data) as ServerEvent);
      }
    } catch {
      // Keep showing what is there; the user's next request reports that the server is gone.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
