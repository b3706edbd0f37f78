import { randomUUID } from 'node:crypto';
import type { CrewEvent } from '@holdfast/crew';
import { RequestProblem } from '../guard/problem.ts';
import { createRunBuffer, type RunBuffer } from './run-buffer.ts';

/** A request in progress, or just finished. */
export interface CrewRun {
  readonly id: string;
  readonly buffer: RunBuffer;
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
  readonly max_concurrent: number;
  /** Memory of all requests in bytes; 0 = no limit. A single request may exceed it. */
  readonly max_memory?: number;
  /** How long a reader has to reconnect, and how long a finished request is kept. */
  readonly resume_ms: number;
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

/** Reserves capacity for one request, from before its body is read. */
export interface Slot {
  /** Counts the bytes read so far. Throws RequestProblem if all requests together use too much memory. */
  hold(bytes: number): void;
  /** Starts the request. Throws RequestProblem if its session is busy. */
  start(work: Work, options?: RunOptions): CrewRun;
  /** Frees the slot, unless a request was started; that one frees it when it ends. */
  leave(): void;
}

/** Bytes of memory for each byte of a body: the body, its text, its messages, and the crew's copy. */
const COPIES = 4;

/** Bytes of finished requests to keep for readers that reconnect; the oldest are dropped first. */
const KEPT = 64_000_000;

/** All requests of this process. */
export interface Runs {
  readonly active: number;
  /** A slot for a request that is about to be read. Throws RequestProblem if there is none. */
  enter(): Slot;
  find(id: string): CrewRun | undefined;
  /**
   * Starts no more requests, and cancels the running ones after `grace_ms`. Resolves when all have ended, or a second after
   * the cancellation. May be called again with a shorter time.
   */
  close(grace_ms: number): Promise<void>;
}

/** Time to wait for a cancelled request, whose tool may ignore the signal. */
const CANCEL_MS = 1_000;

function noRoom(detail: string, seconds: number): RequestProblem {
  return new RequestProblem(503, detail, { headers: { 'retry-after': String(seconds) } });
}

export function createRuns({ max_concurrent, max_memory = 0, resume_ms, onThrow }: RunsOptions): Runs {
  const runs = new Map<string, CrewRun>();
  const busy = new Set<string>();
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  let isClosed = false;

  /** Bytes of each request in progress. */
  const slots = new Map<Slot, number>();
  let held = 0;
  const hold = (slot: Slot, bytes: number) => {
    held += bytes - (slots.get(slot) ?? 0);
    slots.set(slot, bytes);
    if (max_memory === 0 || held <= max_memory || slots.size === 1) return;
    const limit = `${Math.round(max_memory / 1e6)} MB (--max-memory)`;
    throw noRoom(`running requests may use ${limit} together: retry later, or send less`, 1);
  };
  const free = (slot: Slot) => {
    held -= slots.get(slot) ?? 0;
    slots.delete(slot);
  };
  const admit = (session: string | undefined) => {
    if (isClosed) throw noRoom('the server is shutting down', 5);
    if (session === undefined) return;
    if (busy.has(session))
      throw new RequestProblem(409, `session ${session} already has a running request: wait for it to end`);
    busy.add(session);
  };

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
    setTimeout(forget, resume_ms, id).unref();
    for (const oldest of kept.keys()) if (bytes > KEPT) forget(oldest);
  };

  const begin = (work: Work, { session, once = false }: RunOptions = {}, onEnd: () => void): CrewRun => {
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
    const run: CrewRun = {
      id,
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
      if (isClosed) throw noRoom('the server is shutting down', 5);
      if (max_concurrent > 0 && slots.size >= max_concurrent)
        throw noRoom(`already running ${max_concurrent} requests: retry later`, 1);
      let isStarted = false;
      const slot: Slot = {
        hold: (bytes) => hold(slot, COPIES * bytes),
        start(work, options) {
          const run = begin(work, options, () => free(slot));
          isStarted = true;
          return run;
        },
        leave: () => {
          if (!isStarted) free(slot);
        },
      };
      slots.set(slot, 0);
      return slot;
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
        return after(CANCEL_MS);
      });
      await Promise.race([done, cancelled]);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
