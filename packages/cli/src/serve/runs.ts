import { randomUUID } from 'node:crypto';
import { type CrewEvent, createEventBuffer, type EventBuffer } from '@holdfast/crew';
import { RequestProblem } from './guard/problem.ts';

/** A request in progress, or just finished. */
export interface CrewRun {
  readonly id: string;
  readonly buffer: EventBuffer;
  /** The error it threw, if any. */
  failure(): unknown;
  /** A reader came or left. If all stay away, the request is cancelled. */
  attach(): void;
  detach(): void;
  /** Cancels it; its readers get the result. */
  cancel(): void;
}

export interface RunsOptions {
  /** Concurrent requests, including those whose body is still arriving; 0 = no limit. */
  readonly maxConcurrent: number;
  /** Memory of all requests in bytes; 0 = no limit. A single request may exceed it. */
  readonly maxMemory?: number;
  /** How long a reader has to reconnect, and how long a finished request is kept. */
  readonly resumeMs: number;
  /** Gets the error of a request. */
  readonly onThrow?: (error: unknown) => void;
}

export interface RunOptions {
  /** A session runs one request at a time. */
  readonly session?: string;
  /** The request ends with its reader and cannot be resumed. */
  readonly once?: boolean;
}

/** The events of a request, until the signal. */
export type Work = (signal: AbortSignal) => AsyncIterable<CrewEvent>;

/** Bytes of memory for each byte of a body: the body, its text, its messages, and the crew's copy. */
const COPIES = 4;

/** Bytes of events to keep of one request for readers that reconnect, and of all finished ones; the oldest are dropped first. */
const KEPT_EVENTS = 4_000_000;
const KEPT = 64_000_000;

/** Sessions to remember as this process's own; those used longest ago are forgotten. */
const MOST_OWN = 10_000;

/** Time to wait for a cancelled request, whose tool may ignore the signal. */
const CANCEL_MS = 1_000;

function noRoom(detail: string, seconds: number): RequestProblem {
  return new RequestProblem(503, detail, { headers: { 'retry-after': String(seconds) } });
}

/** All requests of this process. */
export type Runs = ReturnType<typeof createRuns>;

export function createRuns({ maxConcurrent, maxMemory = 0, resumeMs, onThrow }: RunsOptions) {
  const runs = new Map<string, CrewRun>();
  const busy = new Set<string>();
  /** Sessions in which a request has run. */
  const own = new Set<string>();
  const running = new Map<CrewRun, Promise<void>>();
  let isClosed = false;

  /** Bytes of each request in progress, and of all of them. */
  const slots = new Map<object, number>();
  let held = 0;
  const hold = (slot: object, bytes: number) => {
    held += bytes - (slots.get(slot) ?? 0);
    slots.set(slot, bytes);
    if (maxMemory === 0 || held <= maxMemory || slots.size === 1) return;
    const limit = `${Math.round(maxMemory / 1e6)} MB (--max-memory)`;
    throw noRoom(`running requests may use ${limit} together: retry later, or send less`, 1);
  };
  const free = (slot: object) => {
    held -= slots.get(slot) ?? 0;
    slots.delete(slot);
  };

  /** Bytes of each finished request, and of all of them. */
  const kept = new Map<string, number>();
  let bytes = 0;
  const forget = (id: string) => {
    bytes -= kept.get(id) ?? 0;
    kept.delete(id);
    runs.delete(id);
  };
  const keep = ({ id, buffer }: CrewRun) => {
    kept.set(id, buffer.bytes);
    bytes += buffer.bytes;
    setTimeout(forget, resumeMs, id).unref();
    for (const oldest of kept.keys()) if (bytes > KEPT) forget(oldest);
  };

  const enterSession = (session: string) => {
    if (busy.has(session))
      throw new RequestProblem(409, `session ${session} already has a running request: wait for it to end`);
    busy.add(session);
    own.delete(session);
    own.add(session);
    const [oldest] = own;
    if (own.size > MOST_OWN && oldest !== undefined) own.delete(oldest);
  };

  const begin = (slot: object, work: Work, { session, once = false }: RunOptions): CrewRun => {
    if (isClosed) throw noRoom('the server is shutting down', 5);
    if (session !== undefined) enterSession(session);
    const buffer = createEventBuffer(KEPT_EVENTS);
    const stop = new AbortController();
    const cancel = () => stop.abort();
    let failure: unknown;
    let away: NodeJS.Timeout | undefined;
    let readers = 0;
    const run: CrewRun = {
      id: randomUUID(),
      buffer,
      failure: () => failure,
      attach() {
        readers++;
        clearTimeout(away);
      },
      detach() {
        // A dead connection may be noticed only after its replacement exists.
        if (--readers > 0 || buffer.isOver) return;
        clearTimeout(away);
        if (once) cancel();
        else away = setTimeout(cancel, resumeMs);
      },
      cancel,
    };
    const follow = async () => {
      try {
        for await (const event of work(stop.signal)) buffer.push(event);
      } catch (error) {
        failure = error;
        onThrow?.(error);
      }
      if (session !== undefined) busy.delete(session);
      running.delete(run);
      free(slot);
      buffer.end();
      if (once) runs.delete(run.id);
      else keep(run);
    };
    runs.set(run.id, run);
    running.set(run, follow());
    return run;
  };

  return {
    get active() {
      return running.size;
    },
    find: (id: string) => runs.get(id),
    /** True while a request runs in the session. */
    isBusy: (session: string) => busy.has(session),
    /** True if a request of this process has run in the session. */
    isOwn: (session: string) => own.has(session),
    /** Does work in a session while no request runs in it. Throws RequestProblem if one does. */
    async exclusively<T>(session: string, work: () => Promise<T>): Promise<T> {
      enterSession(session);
      try {
        return await work();
      } finally {
        busy.delete(session);
      }
    },
    /** Reserves capacity for a request that is about to be read. Throws RequestProblem if there is none. */
    enter() {
      if (isClosed) throw noRoom('the server is shutting down', 5);
      if (maxConcurrent > 0 && slots.size >= maxConcurrent)
        throw noRoom(`already running ${maxConcurrent} requests: retry later`, 1);
      let isStarted = false;
      const slot = {
        /** Counts the bytes read so far. Throws RequestProblem if all requests together use too much memory. */
        hold: (bytes: number) => hold(slot, COPIES * bytes),
        /** Starts the request. Throws RequestProblem if its session is busy. */
        start(work: Work, options: RunOptions = {}): CrewRun {
          const run = begin(slot, work, options);
          isStarted = true;
          return run;
        },
        /** Frees the slot, unless a request was started; that one frees it when it ends. */
        leave: () => {
          if (!isStarted) free(slot);
        },
      };
      slots.set(slot, 0);
      return slot;
    },
    /**
     * Starts no more requests, and cancels the running ones after `graceMs`. Resolves when all have ended, or a second after
     * the cancellation. May be called again with a shorter time.
     */
    async close(graceMs: number): Promise<void> {
      isClosed = true;
      const all = [...running];
      const timers: NodeJS.Timeout[] = [];
      const after = (ms: number) => new Promise<void>((resolve) => void timers.push(setTimeout(resolve, ms)));
      const cancelled = after(graceMs).then(() => {
        for (const [run] of all) run.cancel();
        return after(CANCEL_MS);
      });
      await Promise.race([Promise.all(all.map(([, done]) => done)), cancelled]);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
