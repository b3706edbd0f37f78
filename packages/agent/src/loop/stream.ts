import { isTooDeep, MOST_LEVELS, parsedJson } from '@holdfast/sessions/foreign';
import { HoldfastError } from 'holdfast';
import type { ApiAnswer } from './api.ts';
import type { ResolvedOptions } from './api-options.ts';
import { type Fetch, watchingFetch } from './fetch.ts';

/** A stream that ended before its answer did. */
export class BrokenStream extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'BrokenStream';
  }
}

/** An answer that was paid for and never came to its end: `cause` is why, `report` what the API had said of its usage. */
export class CutOff extends Error {
  readonly report: Report;

  constructor(cause: unknown, report: Report) {
    super('an answer was cut off', { cause });
    this.name = 'CutOff';
    this.report = report;
  }
}

type Report = NonNullable<ApiAnswer<unknown>['report']>;

/** What to throw for a stream that broke: the error that the API told in it, if it did. */
export function brokenBy(cause: unknown): unknown {
  const told = typeof cause === 'object' && cause !== null && 'error' in cause && cause.error !== undefined;
  return told ? cause : new BrokenStream('the stream ended before its answer did', cause);
}

/** The reason of an answer for which the prompt left no room. */
export const NO_ROOM = 'model_context_window_exceeded';

/** What to throw for such an answer if nothing of it came. */
export function noRoom(): Error {
  return Object.assign(new Error('the prompt leaves no room for an answer'), { code: NO_ROOM });
}

/** An answer as its events arrive. */
export interface Reader<E, M> {
  take(event: E): void;
  /** What arrived. Throws what broke the stream, `cause` if that is known, unless a call was complete by then. */
  answer(cause: unknown): Omit<ApiAnswer<M>, 'report'>;
  /** What the API has said of its usage by now. */
  report(): Report | undefined;
}

/** Makes a request by this `fetch`, with a signal of its own, which also ends when the given one does. */
export type Open<E> = (signal: AbortSignal, fetch: Fetch) => PromiseLike<AsyncIterable<E>>;

type ReadOptions = Pick<ResolvedOptions, 'idle_timeout_ms' | 'onRequest'>;

/** The answer that a stream brings. Throws what opening and reading throw, as a CutOff where it was paid for. */
export async function readAnswer<E, M>(
  open: Open<E>,
  reader: Reader<E, M>,
  options: ReadOptions,
  signal: AbortSignal,
): Promise<ApiAnswer<M>> {
  try {
    const answer = reader.answer(await readStream(open, reader.take, options, signal));
    const report = reader.report();
    return report ? { ...answer, report } : answer;
  } catch (error) {
    const report = reader.report();
    throw report ? new CutOff(error, report) : error;
  }
}

/**
 * Gives each event of a stream to `take`, until it ends. What broke the stream is returned, undefined if it ended by
 * itself: the caller knows whether that was the end. Throws what opening throws, and when `signal` is aborted.
 * The clients end silently when they are aborted, and their timeouts do not cover a body that stalls: hence the watchdog.
 * It counts bytes, since the clients keep pings and comments to themselves.
 */
async function readStream<E>(
  open: Open<E>,
  take: (event: E) => void,
  { idle_timeout_ms: idle_ms, onRequest }: ReadOptions,
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
    }, idle_ms);
  };
  const silent = () => new BrokenStream(`nothing came for ${idle_ms} ms`);
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
      // The clients write down the events of errors, which overflows the stack.
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
  const text = `the stream has an event of over ${MOST_LEVELS} levels, the most that is read: check base_url`;
  return new HoldfastError('PROVIDER_FAILED', text);
}

/** The arguments of a call as an object; undefined if they are none, as those of a call that was cut off, or too deep. */
export function parsedInput(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {};
  const value = parsedJson(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
