import { randomUUID } from 'node:crypto';
import type { CrewEvent } from '@holdfast/crew';
import { RequestProblem } from './problem.ts';
import { createRunBuffer, type RunBuffer } from './run-buffer.ts';

/** A request under way, or just over. */
export interface Run {
  readonly id: string;
  readonly buffer: RunBuffer;
  /** What it threw, if it did. */
  failure(): unknown;
  /** A reader has come, or has left: where all of them stay away, the request is cancelled. */
  attach(): void;
  detach(): void;
  /** Ends it; its readers get the result. */
  cancel(): void;
}

/** What requests may be run side by side. */
export interface RunsOptions {
  /** Those whose bodies still come, too; 0 = no limit. */
  readonly max_concurrent: number;
  /** Bytes that all of them may hold together; 0 = no limit. One alone may hold more. */
  readonly max_memory?: number;
  /** How long a reader may be away before the request is cancelled, and how long what happened is kept for one. */
  readonly resume_ms: number;
  /** Told of what a request threw. */
  readonly onThrow?: (error: unknown) => void;
}

export interface RunOptions {
  /** No two requests at once in one. */
  readonly session?: string;
  /** Nobody can come back to it: it ends with its reader, and is not kept. */
  readonly once?: boolean;
}

/** The events of a request, until the signal. */
export type Work = (signal: AbortSignal) => AsyncIterable<CrewEvent>;

/** The place of one request, from before its body is read. */
export interface Place {
  /** So many bytes of it have come. Throws RequestProblem where that is too much beside the others. */
  hold(bytes: number): void;
  /** Starts the request, once. Throws RequestProblem where its session is busy. */
  start(work: Work, options?: RunOptions): Run;
  /** Gives it back, unless a request was started, whose end does that. */
  leave(): void;
}

/** Bytes of memory for each byte of a body: what came, its text, its messages, and the crew's own copies. */
const COPIES = 4;

/** Bytes of requests that are over and kept for readers who come back; the oldest go first. */
const KEPT = 64_000_000;

/** All requests of this process. */
export interface Runs {
  readonly active: number;
  /** A place for a request that has yet to be read. Throws RequestProblem where there is none. */
  enter(): Place;
  find(id: string): Run | undefined;
  /**
   * No more are started; resolves when none runs, at the latest a second after they were cancelled, which they are after
   * `grace_ms`. May be called again with less.
   */
  close(grace_ms: number): Promise<void>;
}

/** A request that has not ended so long after it was cancelled, because a tool does not heed its signal, is not waited for. */
const HEED_MS = 1_000;

function noRoom(detail: string, seconds: number): RequestProblem {
  return new RequestProblem(503, detail, { headers: { 'retry-after': String(seconds) } });
}

export function createRuns({ max_concurrent, max_memory = 0, resume_ms, onThrow }: RunsOptions): Runs {
  const runs = new Map<string, Run>();
  const busy = new Set<string>();
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  let isClosed = false;

  /** What each request in flight holds. */
  const places = new Map<Place, number>();
  let held = 0;
  const hold = (place: Place, bytes: number) => {
    held += bytes - (places.get(place) ?? 0);
    places.set(place, bytes);
    if (max_memory === 0 || held <= max_memory || places.size === 1) return;
    const limit = `${Math.round(max_memory / 1e6)} MB (--max-memory)`;
    throw noRoom(`requests under way may hold ${limit} together: try again later, or send less`, 1);
  };
  const free = (place: Place) => {
    held -= places.get(place) ?? 0;
    places.delete(place);
  };
  const admit = (session: string | undefined) => {
    if (isClosed) throw noRoom('the server is about to end', 5);
    if (session === undefined) return;
    if (busy.has(session))
      throw new RequestProblem(409, `a request is under way in session ${session}: wait for its end`);
    busy.add(session);
  };

  const kept = new Map<string, number>();
  let bytes = 0;
  const forget = (id: string) => {
    bytes -= kept.get(id) ?? 0;
    kept.delete(id);
    runs.delete(id);
  };
  const keep = ({ id, buffer }: Run) => {
    kept.set(id, buffer.bytes);
    bytes += buffer.bytes;
    setTimeout(forget, resume_ms, id).unref();
    for (const oldest of kept.keys()) if (bytes > KEPT) forget(oldest);
  };

  const begin = (work: Work, { session, once = false }: RunOptions = {}, onEnd: () => void): Run => {
    admit(session);
    const id = randomUUID();
    const buffer = createRunBuffer();
    const stop = new AbortController();
    let failure: unknown;
    let away: NodeJS.Timeout | undefined;
    let readers = 0;
    const follow = async () => {
      try {
        for await (const event of work(stop.signal)) buffer.push(event);
      } catch (error) {
        failure = error;
        onThrow?.(error);
      }
      if (session !== undefined) busy.delete(session);
      running.delete(id);
      onEnd();
      buffer.end();
      if (once) runs.delete(id);
      else keep(run);
    };
    const run: Run = {
      id,
      buffer,
      failure: () => failure,
      attach() {
        readers++;
        clearTimeout(away);
      },
      detach() {
        // An old connection may be known to be dead only after the new one was made.
        if (--readers > 0 || buffer.isOver) return;
        clearTimeout(away);
        if (once) stop.abort();
        else away = setTimeout(() => stop.abort(), resume_ms);
      },
      cancel: () => stop.abort(),
    };
    runs.set(id, run);
    running.set(id, { stop, done: follow() });
    return run;
  };

  return {
    get active() {
      return running.size;
    },
    find: (id) => runs.get(id),
    enter() {
      if (isClosed) throw noRoom('the server is about to end', 5);
      if (max_concurrent > 0 && places.size >= max_concurrent)
        throw noRoom(`${max_concurrent} requests are under way: try again later`, 1);
      let isStarted = false;
      const place: Place = {
        hold: (bytes) => hold(place, COPIES * bytes),
        start(work, options) {
          const run = begin(work, options, () => free(place));
          isStarted = true;
          return run;
        },
        leave: () => {
          if (!isStarted) free(place);
        },
      };
      places.set(place, 0);
      return place;
    },
    async close(grace_ms) {
      isClosed = true;
      const all = [...running.values()];
      const done = Promise.all(all.map((one) => one.done));
      const timers: NodeJS.Timeout[] = [];
      const after = (ms: number) =>
        new Promise<void>((resolve) => {
          timers.push(setTimeout(resolve, ms));
        });
      const cancelled = after(grace_ms).then(() => {
        for (const { stop } of all) stop.abort();
        return after(HEED_MS);
      });
      await Promise.race([done, cancelled]);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
