import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type McpContent, runTool, type Sessions, TOOLS } from './tools.ts';

const INFO = { name: 'holdfast', title: 'Holdfast', version: '1' };
const INSTRUCTIONS =
  'Text in square brackets such as [m41.1@ID] names a message or tool result of this conversation that was shortened or taken out. `recall` shows the original.';

/** An MCP server over a session store, with the tools for its reach. */
export function createMcpServer(sessions: Sessions): Server {
  const tools = TOOLS[sessions.reach];
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
    const { parts, failed } = await runTool(tool, sessions, params.arguments);
    return { content: parts.map(toContent), isError: failed };
  });
  return server;
}

function toContent(part: McpContent) {
  if (typeof part === 'string') return { type: 'text' as const, text: part };
  return { type: 'image' as const, data: part.data, mimeType: part.mediaType };
}
