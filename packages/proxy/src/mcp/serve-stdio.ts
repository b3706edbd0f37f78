import type { Readable, Writable } from 'node:stream';
import type { SessionStore } from '@holdfast/sessions';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpServer } from './server.ts';

/** Serves MCP on a pair of streams until the input ends. */
export async function serveStdio(store: SessionStore, input: Readable, output: Writable): Promise<void> {
  const server = createMcpServer(store, { lists: true });
  const ended = new Promise<void>((resolve) => input.once('end', resolve).once('close', resolve));
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  await server.close();
}
