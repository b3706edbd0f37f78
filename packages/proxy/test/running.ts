import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createProxy, type HoldfastProxy, type ProxyEvent, type ProxyOptions } from '../src/index.ts';

/** A request as it reached the upstream. */
export interface Reached {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown;

/** A bare server that records what reaches it; closed after the test. */
export async function runUpstream(handle: Handler = (_, response) => response.end('{}')) {
  const reached: Reached[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers, rawHeaders } = request;
    const body = await bytesOf(request).catch(() => undefined);
    if (!body) return;
    reached.push({ method, url, headers, rawHeaders, body });
    await handle(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, reached, server };
}

/** A listening proxy with all upstreams at `url`, its port, and its events; closed after the test. */
export async function runProxy(url: string, options: ProxyOptions = {}) {
  const events: ProxyEvent[] = [];
  const proxy: HoldfastProxy = createProxy({
    upstreams: { anthropic: url, openai: url, gemini: url },
    port: 0,
    onEvent: (event) => events.push(event),
    ...options,
  });
  await proxy.listen();
  onTestFinished(() => proxy.close());
  return { proxy, url: proxy.url, port: Number(new URL(proxy.url).port), events };
}

/** All bytes of a stream. */
export async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
