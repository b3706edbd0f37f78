import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** Answers a request of a `node:http` server by a function of requests. Never rejects; a reader that leaves ends its answer. */
export async function serveNode(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.on('error', () => {});
  try {
    const made = await fetch(requestOf(incoming));
    outgoing.writeHead(made.status, Object.fromEntries(made.headers));
    outgoing.flushHeaders();
    if (incoming.method === 'HEAD') await made.body?.cancel();
    else if (made.body) await send(made.body, outgoing);
    outgoing.end();
  } catch {
    outgoing.destroy();
  } finally {
    incoming.resume();
  }
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':')) given.set(name, Array.isArray(value) ? value.join(', ') : value);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null;
  // The host is checked by its header; here it only makes the URL whole.
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: given,
    body,
    ...(hasBody ? { duplex: 'half' } : {}),
  });
}

async function send(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const left = () => void reader.cancel().catch(() => {});
  outgoing.once('close', left);
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    if (!outgoing.write(value)) await Promise.race([once(outgoing, 'drain'), once(outgoing, 'close')]);
  }
  outgoing.off('close', left);
}
