import { parsedJson } from '@holdfast/sessions/foreign';
import { errorInBody } from '../../loop/body-error.ts';
import type { Fetch } from '../../loop/fetch.ts';

/** A `fetch` that throws the API's error with its message, status and headers: the client keeps only a text of it. */
export function plainErrors(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init).catch((error: unknown) => {
      throw connectionError(error);
    });
    if (response.ok) return response;
    const text = await response.text();
    const { status, headers } = response;
    const failure = errorInBody(parsedJson(text), status, headers) ?? errorInBody({ error: text }, status, headers);
    throw failure ?? new Error(`the API answered ${status}`);
  };
}

/** A connection error in the form of other clients; an invalid URL and an abort stay as they are. */
function connectionError(error: unknown): unknown {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  if (!(error instanceof TypeError) || !cause || String(cause.code).startsWith('ERR_INVALID')) return error;
  return Object.assign(new Error('Connection error.', { cause: error }), { name: 'ConnectionError' });
}

/** The chunks of a stream; an error among them is thrown in the API's own words. */
export async function* chunksOf<Chunk>(stream: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield* stream;
  } catch (error) {
    const { message = '', status } = error as { readonly message?: string; readonly status?: number };
    // The client puts the event's JSON after words of its own.
    const body = status === undefined ? undefined : parsedJson(message.slice(Math.max(0, message.indexOf('{'))));
    throw errorInBody(body, status) ?? error;
  }
}
