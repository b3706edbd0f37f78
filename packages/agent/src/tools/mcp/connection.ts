import type { Fields } from '@holdfast/sessions/foreign';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { fetchFromHost } from '../../fetch-from-host.ts';
import { withoutValues } from '../commands/environment.ts';
import { messageOf, ToolFailure } from '../failure.ts';
import type { ToolSetting } from '../setting.ts';
import { type McpTool, MOST_TOOLS, withinCaps } from './caps.ts';
import type { McpServer } from './config.ts';
import { programTransport } from './program.ts';

/** A connected server. */
export type McpConnection = Awaited<ReturnType<typeof connectMcp>>;

const PAGES = 100;
const LAST_WORDS = 2_000;

/** Connects to a server and lists its tools. Throws ToolFailure, never with a value from `env` or `headers`. */
export async function connectMcp(name: string, server: McpServer, setting: ToolSetting) {
  const secrets = secretsOf(server);
  let said = '';
  const failure = (what: string, error: unknown) => {
    const last = said.trim() === '' ? '' : `; it said: ${said.trim()}`;
    return new ToolFailure(withoutValues(`MCP server "${name}" ${what}: ${messageOf(error)}${last}`, secrets));
  };
  const client = new Client({ name: 'holdfast', version: '0.1.0' });
  let state: 'starting' | 'open' | 'closing' | 'ended' = 'starting';
  client.onclose = () => {
    if (state !== 'open') return;
    state = 'ended';
    setting.warn(failure('has ended', 'its tools are no longer available').message);
  };
  const close = async () => {
    if (state !== 'ended') state = 'closing';
    await client.close().catch(() => {});
  };
  try {
    const transport = transportOf(server, setting, (text) => {
      said = (said + text).slice(-LAST_WORDS);
    });
    const offered = await inTime(setting, async (timeout) => {
      await client.connect(transport, { timeout });
      return await listTools(client, timeout);
    });
    state = 'open';
    const { tools, leftOut } = withinCaps(offered);
    if (leftOut.length > 0) setting.warn(`MCP server "${name}" offers too much: ${leftOut.join('; ')}`);
    return {
      tools,
      close,
      /** The server's raw result. Throws ToolFailure on a timeout, a refusal or the server's end. */
      async call(tool: string, input: Fields, time: number, signal: AbortSignal): Promise<unknown> {
        if (state !== 'open') throw failure('has ended', 'its tools are no longer available');
        const options = { timeout: time, maxTotalTimeout: time, signal };
        return await client.callTool({ name: tool, arguments: input }, undefined, options).catch((error: unknown) => {
          throw failure(state === 'ended' ? 'ended during the call' : `failed in ${tool}`, error);
        });
      },
    };
  } catch (error) {
    await close();
    throw failure('could not be started', error);
  }
}

/** Values in a server's entry that may be keys. */
function secretsOf(server: McpServer): Readonly<Record<string, string>> {
  if ('command' in server) return server.env ?? {};
  const { searchParams, password } = new URL(server.url);
  return { ...Object.fromEntries(searchParams), ...server.headers, password };
}

function transportOf(
  server: McpServer,
  { workspace, grace_ms }: ToolSetting,
  onStderr: (text: string) => void,
): Transport {
  if ('url' in server) {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: server.headers ?? {} },
      fetch: fetchFromHost,
    });
    // The class declares `sessionId: string | undefined`, the interface `sessionId?: string`.
    return transport as Transport;
  }
  const { command, args = [], env = {} } = server;
  const cwd = workspace.root.path;
  if (process.platform !== 'win32') return programTransport({ command, args, env, cwd, grace_ms, onStderr });
  // Windows has no process groups, and starts scripts such as npx.cmd differently.
  const transport = new StdioClientTransport({ command, args, env, cwd, stderr: 'pipe' });
  transport.stderr?.on('data', (bytes: Buffer) => onStderr(bytes.toString('utf8')));
  return transport;
}

async function listTools(client: Client, timeout: number): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES && tools.length <= MOST_TOOLS; page++) {
    const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
    tools.push(...answer.tools);
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

async function inTime<T>(
  { mcp_start_limit_ms: limit, signal }: ToolSetting,
  work: (ms: number) => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(limit);
  const stop = AbortSignal.any(signal ? [signal, late] : [late]);
  const refusal = () => new Error(signal?.aborted ? 'cancelled' : `no answer within ${limit} ms`);
  if (stop.aborted) throw refusal();
  const stopped = new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(refusal())));
  return await Promise.race([work(limit), stopped]);
}
