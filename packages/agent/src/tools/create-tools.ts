import { HoldfastError } from 'holdfast';
import { configPlaces } from '../config/files.ts';
import type { Logger } from '../providers/provider.ts';
import { runCommandTool } from './commands/run-command.ts';
import type { AgentTool, Approve, Caps } from './define.ts';
import { endingTools, type Outcome } from './endings.ts';
import { editFileTool } from './files/edit-file.ts';
import { linkJudge } from './files/hard-links.ts';
import { readFileTool } from './files/read-file.ts';
import { openWorkspace } from './files/workspace.ts';
import { writeFileTool } from './files/write-file.ts';
import { type McpServers, mcpServersSchema } from './mcp/config.ts';
import { mcpTools } from './mcp/tools.ts';
import { memoryOutputs, type OutputStore } from './outputs/outputs.ts';
import { hiding } from './protected/out-of-reach.ts';
import { guardConfig, matchConfig, pathsInside, protecting } from './protected/protected-files.ts';
import { unreachablePaths } from './protected/unreachable.ts';
import { type Recall, recallTool } from './recall.ts';
import { type Scope, scopeJudge } from './scope/judge.ts';
import { IGNORED } from './search/tree.ts';
import { createTreeClient } from './search/tree-client.ts';
import { treeTools } from './search/tree-tools.ts';

/** Options for tools. The default limits are those of common agents; they are not measured. */
export interface ToolsOptions {
  /** The folder that file tools are confined to. */
  readonly workspace: string;
  /** What tools may read and write there. Default: everything. */
  readonly scope?: Scope;
  /**
   * Which changes by a command or MCP server outside the scope are restored; others are only reported. Default: only
   * Forbidden files, because a build may write files that are merely not Allowed.
   */
  readonly revert_outside_scope?: boolean | 'forbidden';
  /**
   * Files and folders that no tool may write and that are restored if a command or MCP server changes them; relative or
   * absolute. Configuration files here, in the folders above and in the user's own folder are always protected.
   */
  readonly protected?: readonly string[];
  /**
   * Files and folders that file tools may not read, list or write; relative or absolute. Always includes Holdfast's own folder
   * (`HOLDFAST_HOME`, `~/.holdfast`) and well-known credentials (`~/.ssh`). Commands and MCP servers can still reach them.
   */
  readonly unreachable?: readonly string[];
  /** Folders to skip when listing, searching and watching. Default `.git` and `node_modules`. */
  readonly ignored?: readonly string[];
  /** Longest result in characters. Default 20,000. */
  readonly max_output_chars?: number;
  /** Where to store longer results. Default: memory. */
  readonly outputs?: OutputStore;
  /** Limit for a command or an MCP call. Default 120,000. */
  readonly time_limit_ms?: number;
  /** Limit for a search or a list. Default 10,000. */
  readonly search_limit_ms?: number;
  /** Time between asking processes to end and killing them. Default 2,000. */
  readonly grace_ms?: number;
  /** Most files to watch while a command runs. Default 20,000. */
  readonly max_watched_files?: number;
  /** Commands that may run, such as `npm test` or `npx vitest *`. Default: all. */
  readonly allowed_commands?: readonly string[];
  /** Variables to pass to commands even though they look like keys. */
  readonly pass_env?: readonly string[];
  /** Environment for commands, without keys. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Called before each write, edit, command and MCP call. Default: allow. */
  readonly approve?: Approve;
  /** Looks up a handle of the conversation. Default: ask the provider. */
  readonly recall?: Recall;
  /** Called when the model declares the task complete or blocked. */
  readonly onOutcome?: (outcome: Outcome) => void;
  readonly mcp_servers?: McpServers;
  /** Limit for an MCP server to start. Default 15,000. */
  readonly mcp_start_limit_ms?: number;
  /** Aborts the start of MCP servers, whose tools are then missing. Has no effect later. */
  readonly signal?: AbortSignal;
  readonly logger?: Pick<Logger, 'warn'>;
}

const SWEEP_MS = 3_000;

/** Tools, ready for a provider. */
export interface Tools {
  readonly tools: readonly AgentTool[];
  /** Problems with MCP servers as they happen; never contains keys. */
  readonly warnings: readonly string[];
  /** Stops MCP servers and the search thread. */
  close(): Promise<void>;
}

/** Creates the agent's tools and starts its MCP servers. Throws BAD_CONFIG; a failing server only causes a warning. */
export async function createTools(options: ToolsOptions): Promise<Tools> {
  const workspace = openWorkspace(options.workspace);
  const servers = mcpServersSchema.safeParse(options.mcp_servers ?? {});
  if (!servers.success) {
    const said = servers.error.issues.map((issue) => `mcp_servers.${issue.path.join('.')}: ${issue.message}`);
    throw new HoldfastError('BAD_CONFIG', said.join('; '), {}, servers.error);
  }
  const { scope, time_limit_ms = 120_000, ignored = IGNORED, approve } = options;
  const { root } = workspace;
  const unreachable = unreachablePaths(root.path, options.unreachable ?? []);
  const hidden = pathsInside(root.path, unreachable);
  // A configuration that is a symlink must be protected at its target, too.
  const kept = pathsInside(root.path, [...(options.protected ?? []), ...configPlaces(root.path)]);
  const isConfig = matchConfig(kept);
  const judge = hiding(hidden, protecting(isConfig, scopeJudge(scope)));
  const links = linkJudge({ root, ignored, unreachable, ...(scope ? { scope } : {}) });
  const files = { workspace, judge, links };
  const client = createTreeClient();
  // Not awaited: the queue puts lists, searches and watching after it.
  client.run({ type: 'sweep', root, names: [], ignored, hidden }, SWEEP_MS).catch(() => {});
  const caps: Caps = {
    outputs: options.outputs ?? memoryOutputs(),
    max_output_chars: Math.max(1_000, options.max_output_chars ?? 20_000),
    ...(approve === undefined ? {} : { approve }),
  };
  const warnings: string[] = [];
  const warn = (message: string) => {
    warnings.push(message);
    options.logger?.warn(message);
  };
  const forbids = scopeJudge({ forbidden: scope?.forbidden ?? [], problems: [] });
  const wanted = options.revert_outside_scope ?? 'forbidden';
  const revert = (path: string) =>
    isConfig(path) || (wanted === 'forbidden' ? forbids(path, 'write') !== undefined : wanted);
  const max_files = options.max_watched_files ?? 20_000;
  const guard = guardConfig(root.path, [...kept, ...(options.protected ?? [])]);
  const watch = { workspace, client, judge, ignored, hidden, revert, max_files, guard };
  const { env = process.env, pass_env = [], grace_ms = 2_000, allowed_commands } = options;
  const commands = {
    ...watch,
    env,
    pass_env,
    grace_ms,
    time_limit_ms,
    ...(allowed_commands ? { allowed_commands } : {}),
  };
  const trees = {
    workspace,
    client,
    ignored,
    hidden,
    unreachable,
    time_limit_ms: options.search_limit_ms ?? 10_000,
    ...(scope ? { scope } : {}),
  };
  const start_limit_ms = options.mcp_start_limit_ms ?? 15_000;
  const start = { start_limit_ms, grace_ms, warn, ...(options.signal ? { signal: options.signal } : {}) };
  const mcp = await mcpTools({ ...watch, ...start, env, servers: servers.data, time_limit_ms }, caps);
  return {
    tools: [
      readFileTool(files, caps),
      writeFileTool(files, caps),
      editFileTool(files, caps),
      ...treeTools(trees, caps),
      runCommandTool(commands, caps),
      recallTool(options.recall, caps),
      ...endingTools(options.onOutcome ?? (() => {}), caps),
      ...mcp.tools,
    ],
    warnings,
    close: async () => void (await Promise.all([mcp.close(), client.close()])),
  };
}
