import { parsedJson } from '@holdfast/sessions/foreign';
import { HoldfastError } from 'holdfast';
import { toldError } from './body-error.ts';
import { limitEvents, MOST_BYTES, readText } from './bounded-body.ts';

/** `fetch` as the clients call it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for requests whose answer is a stream, that tells of each chunk of it. Throws ToldAPIError for an error that the
 * clients would not find, and PROVIDER_FAILED for a page or a plain object, for whose events they would wait in vain. One
 * event, and a body that is no stream, have a limit.
 */
export function watchingFetch(onBytes: () => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
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
      const told = isKnown ? undefined : toldError(body, status, headers);
      if (told) throw told;
      // The clients would write down a body that is nested too deep, which overflows the stack.
      const isUnread = body === undefined && /^\s*[{[]/.test(text);
      return copy(isUnread ? `${text.slice(0, SAID_CHARS)}…` : text);
    }
    const type = headers.get('content-type') ?? '';
    if (isStream(start, type)) return copy(rest.pipeThrough(limitEvents(addressOf(input))));
    const { text, isWhole } = await readText(rest);
    const body = parsedJson(text);
    const told = isWhole ? toldError(body, undefined, headers, saysFailure(body)) : undefined;
    if (told) throw told;
    const size = isWhole ? '' : ` of over ${MOST_BYTES} bytes, the most that is read`;
    const said = text.slice(0, SAID_CHARS);
    const what = `${addressOf(input)} answered with ${type || 'a body'}${size}, not with a stream: ${FIX}. It said: ${said}`;
    throw new HoldfastError('PROVIDER_FAILED', what);
  };
}

const FIX = 'check base_url, or use a server that streams';
const SAID_CHARS = 300;

/** In one way or another, that it is no answer: a page of a wrong address says nothing of the kind. */
function saysFailure(body: unknown): boolean {
  const { success, status, code } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const isCode = code !== undefined && code !== null && !/^(?:|0|200)$/.test(String(code));
  return success === false || /^(?:error|fail(?:ed|ure)?)$/i.test(String(status)) || isCode;
}

/** By what it says, rather than by what it says of itself: an error may come as either. */
function isStream(start: string, type: string): boolean {
  if (/^[{[<]/.test(start)) return false;
  return !/text\/html|application\/json/.test(type) || /^(?:data|event|id|retry)?:/.test(start);
}

/** The first characters of a body that are not blank, and all of it. */
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
