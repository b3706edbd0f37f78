import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import type { SessionStore } from '@holdfast/sessions';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpServer } from './server.ts';

/** Serves MCP over HTTP, one request at a time: nothing is remembered, so that any proxy on the same store can answer. */
export function handleMcp(store: SessionStore): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    if (request.method !== 'POST') {
      request.resume();
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const server = createMcpServer({ store, reach: 'conversations' });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };
}

/** Serves MCP on a pair of streams until the input ends. Whoever started it may read all sessions. */
export async function serveStdio(store: SessionStore, input: Readable, output: Writable): Promise<void> {
  const server = createMcpServer({ store, reach: 'all' });
  const ended = new Promise<void>((resolve) => input.once('end', resolve).once('close', resolve));
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
}
