import { isTooDeep, MOST_LEVELS, parsedJson } from '@holdfast/sessions/foreign';
import { HoldfastError } from 'holdfast';
import type { ApiAnswer } from './api.ts';
import type { ResolvedOptions } from './api-options.ts';
import { type Fetch, watchingFetch } from './fetch.ts';

/** A stream that ended before the answer was complete. */
export class BrokenStream extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'BrokenStream';
  }
}

/** An answer that was billed and never finished: `cause` is why, `report` the usage reported so far. */
export class CutOff extends Error {
  readonly report: Report;

  constructor(cause: unknown, report: Report) {
    super('an answer was cut off', { cause });
    this.name = 'CutOff';
    this.report = report;
  }
}

type Report = NonNullable<ApiAnswer<unknown>['report']>;

/** The error for a broken stream: the one that the API sent in it, if it did. */
export function brokenBy(cause: unknown): unknown {
  const isReported = typeof cause === 'object' && cause !== null && 'error' in cause && cause.error !== undefined;
  return isReported ? cause : new BrokenStream('the stream ended before the answer was complete', cause);
}

/** The stop reason if the prompt left no room for the answer. */
export const NO_ROOM = 'model_context_window_exceeded';

/** The error for such an answer if nothing of it arrived. */
export function noRoom(): Error {
  return Object.assign(new Error('the prompt leaves no room for an answer'), { code: NO_ROOM });
}

/** An answer as its events arrive. */
export interface Reader<E, M> {
  take(event: E): void;
  /** What arrived. Throws what broke the stream (`cause` if known), unless a call was complete by then. */
  answer(cause: unknown): Omit<ApiAnswer<M>, 'report'>;
  /** The usage reported so far. */
  report(): Report | undefined;
}

/** Sends a request with this `fetch`; the signal is aborted with the caller's. */
export type Open<E> = (signal: AbortSignal, fetch: Fetch) => PromiseLike<AsyncIterable<E>>;

type ReadOptions = Pick<ResolvedOptions, 'idle_timeout_ms' | 'onRequest'>;

/** Reads the answer of a stream. Throws what opening and reading throw, as a CutOff if it was billed. */
export async function readAnswer<E, M>(
  open: Open<E>,
  reader: Reader<E, M>,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<ApiAnswer<M>> {
  let request: number | undefined;
  const onRequest = async (body: string) => {
    request = await options.onRequest?.(body);
    return request;
  };
  const reported = () => {
    const report = reader.report();
    return report && request !== undefined ? { ...report, request } : report;
  };
  try {
    const answer = reader.answer(await readStream(open, reader.take, { ...options, onRequest }, signal));
    const report = reported();
    return report ? { ...answer, report } : answer;
  } catch (error) {
    const report = reported();
    throw report ? new CutOff(error, report) : error;
  }
}

/**
 * Passes each event of a stream to `take`. Returns what broke the stream; undefined if it ended by itself, and then the
 * caller knows whether the answer was complete. Throws what opening throws, and when `signal` is aborted.
 * The clients end silently when aborted, and their timeouts do not cover a stalled body, hence the watchdog. It watches
 * bytes, because the clients hide pings and comments.
 */
async function readStream<E>(
  open: Open<E>,
  take: (event: E) => void,
  { idle_timeout_ms: idleMs, onRequest }: ReadOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const own = new AbortController();
  let idle = false;
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      idle = true;
      own.abort();
    }, idleMs);
  };
  const silent = () => new BrokenStream(`no data for ${idleMs} ms`);
  watch();
  try {
    const stream = await open(AbortSignal.any([signal, own.signal]), watchingFetch(watch, onRequest));
    try {
      for await (const event of stream) {
        if (isTooDeep(event)) throw tooDeep();
        take(event);
      }
    } catch (error) {
      signal.throwIfAborted();
      // The clients stringify error events, which overflows the stack.
      return idle ? silent() : error instanceof RangeError ? tooDeep() : error;
    }
    signal.throwIfAborted();
    return idle ? silent() : undefined;
  } catch (error) {
    signal.throwIfAborted();
    throw idle ? silent() : error;
  } finally {
    clearTimeout(timer);
  }
}

function tooDeep(): HoldfastError {
  const text = `the stream has an event nested more than ${MOST_LEVELS} levels deep: check base_url`;
  return new HoldfastError('PROVIDER_FAILED', text);
}

/** The arguments of a call as an object; undefined if they are incomplete, not an object, or nested too deeply. */
export function parsedInput(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {};
  const value = parsedJson(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
