import { createHash } from 'node:crypto';
import { importPeer } from '../../import-peer.ts';
import { type AgentTool, ask, type Caps, makeTool } from '../define.ts';
import { messageOf, ToolFailure } from '../failure.ts';
import { changeLines, type Watch, watchFiles } from '../scope/watch.ts';
import type { McpTool } from './caps.ts';
import { type McpServer, type McpServers, withVariables } from './config.ts';
import type { McpConnection, McpStart } from './connection.ts';
import { mcpText } from './result.ts';

/** How to use MCP servers. */
export interface McpUse extends Watch, Omit<McpStart, 'cwd'> {
  readonly servers: McpServers;
  /** The variables for `${NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Limit for a call; the server's own entry overrides it. */
  readonly time_limit_ms: number;
}

/** The tools of every server that started. */
export interface McpTools {
  readonly tools: readonly AgentTool[];
  close(): Promise<void>;
}

const LONGEST_NAME = 64;

/** Starts all servers in parallel. A server that fails only causes a warning, a cancelled start not even that. Never throws. */
export async function mcpTools(use: McpUse, caps: Caps): Promise<McpTools> {
  const connections: McpConnection[] = [];
  const offered = await Promise.all(
    Object.entries(use.servers).map(async ([name, server]) => {
      try {
        const filled = withVariables(name, server, use.env);
        const { connectMcp } = await importPeer('@modelcontextprotocol/sdk', () => import('./connection.ts'));
        const connection = await connectMcp(name, filled, { ...use, cwd: use.workspace.root.path });
        connections.push(connection);
        return connection.tools.map((tool) => ({ name, server, connection, tool }));
      } catch (error) {
        // No need to warn whoever cancelled.
        if (!use.signal?.aborted) use.warn(messageOf(error));
        return [];
      }
    }),
  );
  const taken = new Set<string>();
  return {
    tools: offered.flat().map(({ name, server, connection, tool }) => {
      const full = freeName(`${name}__${tool.name}`, taken);
      taken.add(full);
      return mcpTool(full, server, connection, tool, use, caps);
    }),
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}

function mcpTool(
  name: string,
  server: McpServer,
  connection: McpConnection,
  tool: McpTool,
  use: McpUse,
  caps: Caps,
): AgentTool {
  const face = { name, description: tool.description ?? tool.name, input_schema: tool.inputSchema, caps };
  return makeTool(face, async (input, context) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      throw new ToolFailure(`${name}: expected an object`);
    await ask(caps.approve, { name, input });
    const limit = server.time_limit_ms ?? use.time_limit_ms;
    const changes = await watchFiles(use);
    let result: { text: string; is_error: boolean };
    try {
      const answer = await connection.call(tool.name, input as Record<string, unknown>, limit, context.signal);
      result = mcpText(answer);
    } catch (error) {
      result = { text: messageOf(error), is_error: true };
    }
    const found = await changes();
    for (const path of found.changed) context.fileChanged(path);
    const text = [result.text, ...changeLines(found)].join('\n');
    if (result.is_error) throw new ToolFailure(text);
    return text;
  });
}

/** A unique name that every API accepts. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = wanted.replace(/[^A-Za-z0-9_-]/g, '_');
  if (plain === wanted && plain.length <= LONGEST_NAME && !taken.has(plain)) return plain;
  const hash = createHash('sha256').update(wanted).digest('hex').slice(0, 8);
  const short = `${plain.slice(0, LONGEST_NAME - 9)}_${hash}`;
  for (let count = 2, name = short; ; name = `${short.slice(0, LONGEST_NAME - 4)}_${count++}`)
    if (!taken.has(name)) return name;
}
