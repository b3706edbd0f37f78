import { HoldfastError } from 'holdfast';

/** `fetch` as the clients call it. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for requests whose answer is a stream, that tells of each chunk of it. Throws PROVIDER_FAILED for an answer
 * that says of itself that it is a page or a plain object: the clients would wait for events that never come.
 */
export function watchingFetch(onBytes: () => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    onBytes();
    if (!response.ok || !response.body) return response;
    const type = response.headers.get('content-type') ?? '';
    if (/text\/html|application\/json/.test(type)) {
      const said = (await response.text()).slice(0, SAID_CHARS);
      const text = `${addressOf(input)} answered with ${type}, not with a stream: ${FIX}. It said: ${said}`;
      throw new HoldfastError('PROVIDER_FAILED', text);
    }
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        onBytes();
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(watched), { status, statusText, headers });
  };
}

const FIX = 'check base_url, or use a server that streams';
const SAID_CHARS = 300;

function addressOf(input: string | URL | Request): string {
  const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
  return origin + pathname;
}
