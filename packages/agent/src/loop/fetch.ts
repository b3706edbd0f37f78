import { parsedJson } from '@holdfast/sessions/foreign';
import { HoldfastError } from 'holdfast';
import { defined } from '../defined.ts';
import { fetchFromHost } from '../fetch-from-host.ts';
import type { ResolvedOptions } from './api-options.ts';
import { errorInBody } from './body-error.ts';

/** `fetch` as the clients call it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for requests whose answer is a stream. Reports the body of its request, and each chunk. Throws BodyAPIError for an error that the
 * clients would not find, and PROVIDER_FAILED for a page or a plain object instead of a stream. Events and other bodies
 * have a size limit.
 */
export function watchingFetch(onBytes: () => void, onRequest?: (body: string) => Promise<unknown>): Fetch {
  return async (input, init) => {
    if (typeof init?.body === 'string') await onRequest?.(init.body);
    const response = await fetchFromHost(input, init);
    onBytes();
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const copy = (body: ConstructorParameters<typeof Response>[0]) =>
      new Response(body, { status, statusText, headers });
    const { start, rest } = await begun(response.body, onBytes);
    if (!response.ok) {
      const { text } = await readText(rest);
      const body = parsedJson(text);
      const isKnown = typeof body !== 'object' || body === null || 'error' in body;
      const failure = isKnown ? undefined : errorInBody(body, status, headers);
      if (failure) throw failure;
      // The clients would stringify a deeply nested body, which overflows the stack.
      const isUnread = body === undefined && /^\s*[{[]/.test(text);
      return copy(isUnread ? `${text.slice(0, SHOWN_CHARS)}…` : text);
    }
    const type = headers.get('content-type') ?? '';
    if (isStream(start, type)) return copy(rest.pipeThrough(limitEvents(addressOf(input))));
    const { text, isWhole } = await readText(rest);
    const body = parsedJson(text);
    const failure = isWhole ? errorInBody(body, undefined, headers, saysFailure(body)) : undefined;
    if (failure) throw failure;
    const size = isWhole ? '' : ` of more than ${MOST_BYTES} bytes, the maximum`;
    const shown = text.slice(0, SHOWN_CHARS);
    const what = `${addressOf(input)} answered with ${type || 'a body'}${size} instead of a stream: ${FIX}. It said: ${shown}`;
    throw new HoldfastError('PROVIDER_FAILED', what);
  };
}

const FIX = 'check base_url, or use a server that streams';
const SHOWN_CHARS = 300;

/** True if a body reports a failure in some way; the page of a wrong address does not. */
function saysFailure(body: unknown): boolean {
  const { success, status, code } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const isCode = code !== undefined && code !== null && !/^(?:|0|200)$/.test(String(code));
  return success === false || /^(?:error|fail(?:ed|ure)?)$/i.test(String(status)) || isCode;
}

/** Decides by the content rather than by its declared type: an error may come as either. */
function isStream(start: string, type: string): boolean {
  if (/^[{[<]/.test(start)) return false;
  return !/text\/html|application\/json/.test(type) || /^(?:data|event|id|retry)?:/.test(start);
}

/** The first non-blank characters of a body, and the whole body. */
async function begun(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): Promise<{ start: string; rest: ReadableStream<Uint8Array> }> {
  const reader = body.getReader();
  const early: Uint8Array[] = [];
  let start = '';
  for (let size = 0; start.length < START_CHARS && size < START_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) break;
    onBytes();
    early.push(value);
    size += value.length;
    start = Buffer.concat(early).toString('utf8').trimStart().slice(0, START_CHARS);
  }
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = early.shift();
      if (next) return controller.enqueue(next);
      const { done, value } = await reader.read();
      onBytes();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { start, rest };
}

const START_CHARS = 6;
const START_BYTES = 4_096;

function addressOf(input: string | URL | Request): string {
  const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
  return origin + pathname;
}

/** Maximum size of one event, and of a body that is not a stream. The largest answers have a few hundred thousand bytes. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The text of a body up to the limit; `isWhole` is false if there was more. */
async function readText(body: ReadableStream<Uint8Array>): Promise<{ text: string; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest.
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > MOST_BYTES) break;
  }
  const text = Buffer.concat(parts).subarray(0, MOST_BYTES).toString('utf8');
  return { text, isWhole: size <= MOST_BYTES };
}

/** A `fetch` for answers that are one object. Reading more than the limit throws PROVIDER_FAILED. */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { body, status, statusText, headers } = await fetchFromHost(input, init);
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MOST_BYTES)
        throw new HoldfastError('PROVIDER_FAILED', `an answer is larger than the maximum of ${MOST_BYTES} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(counted) ?? null, { status, statusText, headers });
}

/** How the official clients are set up. One rule of ours retries requests and broken streams, so they must not. */
export function clientOptions({ api_key, base_url, idle_timeout_ms }: ResolvedOptions) {
  const own = { maxRetries: 0, timeout: idle_timeout_ms, fetch: boundedFetch, logLevel: 'off' } as const;
  return defined({ apiKey: api_key, baseURL: base_url, ...own });
}

const [LF, CR] = [10, 13];

/** Passes events through. An event larger than the limit is an error: a client would keep all of it in memory. */
function limitEvents(address: string): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let isLineEmpty = true;
  let before = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        size++;
        const isEnd = byte === LF || byte === CR;
        // CRLF ends one line, not two.
        if (isEnd && isLineEmpty && !(byte === LF && before === CR)) size = 0;
        if (!(byte === LF && before === CR)) isLineEmpty = isEnd;
        before = byte;
      }
      if (size > MOST_BYTES) {
        const text = `${address} sent an event larger than the maximum of ${MOST_BYTES} bytes: check base_url, or ask for shorter answers with max_output`;
        throw new HoldfastError('PROVIDER_FAILED', text);
      }
      controller.enqueue(chunk);
    },
  });
}
