import { useEffect, useRef } from 'preact/hooks';
import type { ServerEvent } from '../../src/api/types.ts';
import { ApiProblem, ask } from './api.ts';
import { readStream } from './event-stream.ts';
import { useSyncExternalStore } from './external-store.ts';

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

const readers = new Set<() => void>();
let isConnected = true;

/** False while the server cannot be reached, and what is on show may be out of date. */
export function useConnected(): boolean {
  return useSyncExternalStore(subscribe, () => isConnected);
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

function connected(now: boolean): void {
  isConnected = now;
  for (const reader of readers) reader();
}

/** What a page does with events. */
interface EventHandlers {
  readonly on: (event: ServerEvent) => void;
  /** Connected again after a break: what happened in between is unknown. */
  readonly back: () => void;
}

/** Calls back for what changes on the server, and connects again after a break. With a session, also for its changes. */
export function useEvents(session: string | undefined, handlers: EventHandlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const leave = new AbortController();
    void follow(session, leave.signal, () => latest.current);
    return () => leave.abort();
  }, [session]);
}

async function follow(session: string | undefined, signal: AbortSignal, handlers: () => EventHandlers) {
  const path = session === undefined ? 'events' : `events?session=${encodeURIComponent(session)}`;
  let isBack = false;
  for (let wait = FIRST_WAIT; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      const stream = await ask(path, { signal });
      connected(true);
      if (isBack) handlers().back();
      for await (const { data } of readStream(stream)) {
        wait = FIRST_WAIT;
        if (data !== '') handlers().on(JSON.parse(data) as ServerEvent);
      }
    } catch (error) {
      // Keep showing what is there, and say that it may be old.
      if (!signal.aborted && error instanceof ApiProblem && error.status === 0) connected(false);
    }
    isBack = true;
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
