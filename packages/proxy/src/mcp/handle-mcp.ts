import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SessionStore } from '@holdfast/sessions';
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
    const server = createMcpServer(store);
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };
}
