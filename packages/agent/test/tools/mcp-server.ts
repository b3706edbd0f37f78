import { writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** A server for tests: tools that answer, fail, hang, say much, change a file and die. */
export function testServer(): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
  server.registerTool('add', { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) =>
    text(String(a + b)),
  );
  server.registerTool('fail', { description: 'Fails.' }, () => ({ ...text('it went wrong'), isError: true }));
  server.registerTool('hang', { description: 'Hangs.' }, () => new Promise<never>(() => {}));
  server.registerTool('much', { description: 'Says much.' }, () => text('word '.repeat(20_000)));
  server.registerTool('odd.name', { description: 'Has a name that APIs refuse.' }, () => text('odd'));
  server.registerTool('picture', { description: 'Shows.' }, () => ({
    content: [{ type: 'image' as const, data: 'AAAA', mimeType: 'image/png' }],
  }));
  server.registerTool('touch', { description: 'Writes a file.' }, () => {
    writeFileSync('by-server.txt', 'x');
    return text('written');
  });
  server.registerTool('environment', { description: 'Tells its variables.' }, () => text(JSON.stringify(process.env)));
  server.registerTool('die', { description: 'Dies.' }, () => process.exit(3));
  return server;
}

/** A server whose every tool is too much of something. */
function boundless(): McpServer {
  const server = new McpServer({ name: 'boundless', version: '1.0.0' });
  const nothing = () => ({ content: [] });
  server.registerTool('wordy', { description: 'word '.repeat(10_000) }, nothing);
  const fields = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`field_${at}`, z.string()]));
  server.registerTool('wide', { description: 'Wide.', inputSchema: fields }, nothing);
  for (let at = 0; at < 150; at++) server.registerTool(`one_${at}`, { description: 'One of many.' }, nothing);
  return server;
}

if (process.argv[2] === 'boundless') await boundless().connect(new StdioServerTransport());
if (process.argv[2] === 'stubborn') {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
  await testServer().connect(new StdioServerTransport());
}
if (process.argv[2] === 'serve') await testServer().connect(new StdioServerTransport());
if (process.argv[2] === 'complain') {
  console.error(`wrong key ${process.env.SERVER_KEY}`);
  process.exit(1);
}
if (process.argv[2] === 'silent') setInterval(() => {}, 1_000);
