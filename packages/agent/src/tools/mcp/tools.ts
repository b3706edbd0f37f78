import { createHash } from 'node:crypto';
import { fieldsOf } from '@holdfast/sessions/foreign';
import { z } from 'zod';
import { importPeer } from '../../import-peer.ts';
import { type AgentTool, defineTool } from '../define.ts';
import { messageOf, ToolFailure } from '../failure.ts';
import { changeLines, watchFiles } from '../scope/watch.ts';
import type { ToolSetting } from '../setting.ts';
import type { McpTool } from './caps.ts';
import { withVariables } from './config.ts';
import type { McpConnection } from './connection.ts';

const LONGEST_NAME = 64;
const schema = z.custom<Record<string, unknown>>(
  (input) => typeof input === 'object' && input !== null && !Array.isArray(input),
  'expected an object',
);

/**
 * Starts all servers in parallel, and returns the tools of those that started. A server that fails only causes a warning, a
 * cancelled start not even that. Never throws.
 */
export async function mcpTools(setting: ToolSetting) {
  const connections: McpConnection[] = [];
  const offered = await Promise.all(
    Object.entries(setting.mcp_servers).map(async ([name, server]) => {
      try {
        const filled = withVariables(name, server, setting.env);
        const { connectMcp } = await importPeer('@modelcontextprotocol/sdk', () => import('./connection.ts'));
        const connection = await connectMcp(name, filled, setting);
        connections.push(connection);
        const limit = server.time_limit_ms ?? setting.time_limit_ms;
        return connection.tools.map((tool) => ({ name: `${name}__${tool.name}`, limit, connection, tool }));
      } catch (error) {
        // The caller cancelled and needs no warning.
        if (!setting.signal?.aborted) setting.warn(messageOf(error));
        return [];
      }
    }),
  );
  const taken = new Set<string>();
  return {
    tools: offered.flat().map(({ name, limit, connection, tool }) => {
      const free = freeName(name, taken);
      taken.add(free);
      return mcpTool(setting, free, tool, (input, signal) => connection.call(tool.name, input, limit, signal));
    }),
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}

function mcpTool(
  setting: ToolSetting,
  name: string,
  { name: own, description = own, inputSchema }: McpTool,
  call: (input: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>,
): AgentTool {
  return defineTool(setting, {
    name,
    description,
    schema,
    input_schema: inputSchema,
    asks: true,
    async run(input, { signal, fileChanged }) {
      const changes = await watchFiles(setting);
      const result = await call(input, signal).then(mcpText, (error) => ({ text: messageOf(error), isError: true }));
      const found = await changes();
      for (const path of found.changed) fileChanged(path);
      const text = [result.text, ...changeLines(found)].join('\n');
      if (result.isError) throw new ToolFailure(text);
      return text;
    },
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

/** A server's result as text for the model; anything else is named with its size. Never throws. */
function mcpText(result: unknown): { text: string; isError: boolean } {
  const { content, structuredContent, isError } = fieldsOf(result);
  const parts = Array.isArray(content) ? content.map(partText) : [];
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return { text: parts.join('\n') || 'no output', isError: isError === true };
}

function partText(part: unknown): string {
  const { type, text, data, mimeType, resource, uri, name } = fieldsOf(part);
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'image' || type === 'audio') return `[${type}, ${String(mimeType)}, ${bytesOf(data)} bytes, not shown]`;
  if (type === 'resource') {
    const inner = fieldsOf(resource);
    if (typeof inner.text === 'string') return `[resource ${String(inner.uri)}]\n${inner.text}`;
    return `[resource ${String(inner.uri)}, ${bytesOf(inner.blob)} bytes, not shown]`;
  }
  if (type === 'resource_link') return `[resource ${String(uri)}: ${String(name)}]`;
  return JSON.stringify(part);
}

function bytesOf(base64: unknown): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}
