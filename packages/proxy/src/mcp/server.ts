import type { SessionStore } from '@holdfast/sessions';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { list, runTool, TOOLS } from './tools.ts';

const INFO = { name: 'holdfast', title: 'Holdfast', version: '1' };
const INSTRUCTIONS =
  'Text in square brackets such as [m41.1@ID] names a message or tool result of this conversation that was shortened or taken out. `recall` shows the original.';

/** An MCP server over a session store. `lists`: also offers `list`, which names all conversations. */
export function createMcpServer(store: SessionStore, { lists = false } = {}): Server {
  const tools = lists ? [...TOOLS, list] : TOOLS;
  const server = new Server(INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ run: _, inputSchema: { required, ...schema }, ...tool }) => ({
      ...tool,
      inputSchema: { ...schema, properties: { ...schema.properties }, ...(required && { required: [...required] }) },
      annotations: { readOnlyHint: true, openWorldHint: false },
      // Claude Code loads other tools only on demand.
      _meta: { 'anthropic/alwaysLoad': true },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new Error(`unknown tool ${params.name}`);
    const { texts, failed } = await runTool(tool, store, params.arguments);
    return { content: texts.map((text) => ({ type: 'text' as const, text })), isError: failed };
  });
  return server;
}
