import { HoldfastError } from 'holdfast';
import type { ResolvedOptions } from './api-options.ts';

/** The most bytes of one event, and of a body that is no stream. The largest answers of the APIs have some hundred thousand. */
export const MOST_BYTES = 8 * 1024 * 1024;

/** The text of a body up to the limit: `isWhole` is false if there was more, which is not read. */
export async function readText(body: ReadableStream<Uint8Array>): Promise<{ text: string; isWhole: boolean }> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels what is left.
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size > MOST_BYTES) break;
  }
  const text = Buffer.concat(parts).subarray(0, MOST_BYTES).toString('utf8');
  return { text, isWhole: size <= MOST_BYTES };
}

/** `fetch` for answers that are one object. Reading one that goes over the limit throws PROVIDER_FAILED. */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { body, status, statusText, headers } = await fetch(input, init);
  let size = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MOST_BYTES)
        throw new HoldfastError('PROVIDER_FAILED', `an answer has over ${MOST_BYTES} bytes, the most that is read`);
      controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(counted) ?? null, { status, statusText, headers });
}

/** How the official clients are set up. One rule of ours retries requests and broken streams, so they must not. */
export function clientOptions({ api_key, base_url, idle_timeout_ms }: ResolvedOptions) {
  return {
    ...(api_key === undefined ? {} : { apiKey: api_key }),
    ...(base_url === undefined ? {} : { baseURL: base_url }),
    maxRetries: 0,
    timeout: idle_timeout_ms,
    fetch: boundedFetch,
    logLevel: 'off' as const,
  };
}

const [LF, CR] = [10, 13];

/** Passes events on. One that does not end within the limit is an error: a client would keep all of it in memory. */
export function limitEvents(address: string): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let isLineEmpty = true;
  let before = 0;
  return new TransformStream({
    transform(chunk, controller) {
      for (const byte of chunk) {
        size++;
        const isEnd = byte === LF || byte === CR;
        // A line feed behind a carriage return ends no further line.
        if (isEnd && isLineEmpty && !(byte === LF && before === CR)) size = 0;
        if (!(byte === LF && before === CR)) isLineEmpty = isEnd;
        before = byte;
      }
      if (size > MOST_BYTES) {
        const text = `${address} sent one event of over ${MOST_BYTES} bytes, the most that is read: check base_url, or ask for shorter answers with max_output`;
        throw new HoldfastError('PROVIDER_FAILED', text);
      }
      controller.enqueue(chunk);
    },
  });
}
