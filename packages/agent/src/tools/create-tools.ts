import { HoldfastError } from 'holdfast';
import { configPlaces } from '../config/files.ts';
import type { Logger } from '../providers/provider.ts';
import { runCommandTool } from './commands/run-command.ts';
import type { AgentTool, Approve } from './define.ts';
import { endingTools, type Outcome } from './endings.ts';
import { fileTools } from './files/file-tools.ts';
import { linkJudge } from './files/hard-links.ts';
import { openWorkspace } from './files/workspace.ts';
import { type McpServers, mcpServersSchema } from './mcp/config.ts';
import { mcpTools } from './mcp/tools.ts';
import { memoryOutputs, type OutputStore } from './outputs/outputs.ts';
import { fileJudge, guardConfig, matchConfig, pathsInside } from './protected/protected-files.ts';
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

/** What the tools of an agent share: its options, with defaults filled in, and what was made from them. */
export type ToolSetting = ReturnType<typeof settingOf>;

/** Tools, ready for a provider. */
export interface Tools {
  readonly tools: readonly AgentTool[];
  /** Problems with MCP servers as they happen; never contains keys. */
  readonly warnings: readonly string[];
  /** Stops MCP servers and the search thread. */
  close(): Promise<void>;
}

const SWEEP_MS = 3_000;

/** Creates the agent's tools and starts its MCP servers. Throws BAD_CONFIG; a failing server only causes a warning. */
export async function createTools(options: ToolsOptions): Promise<Tools> {
  const warnings: string[] = [];
  const setting = settingOf(options, (message) => {
    warnings.push(message);
    options.logger?.warn(message);
  });
  const { client, ignored, hidden, workspace } = setting;
  // Not awaited: the queue puts lists, searches and watching after it.
  client.run({ type: 'sweep', root: workspace.root, names: [], ignored, hidden }, SWEEP_MS).catch(() => {});
  const mcp = await mcpTools(setting);
  const own = [...fileTools(setting), ...treeTools(setting), runCommandTool(setting), recallTool(setting)];
  return {
    tools: [...own, ...endingTools(setting), ...mcp.tools],
    warnings,
    close: async () => void (await Promise.all([mcp.close(), client.close()])),
  };
}

function settingOf(options: ToolsOptions, warn: (message: string) => void) {
  const workspace = openWorkspace(options.workspace);
  const servers = mcpServersSchema.safeParse(options.mcp_servers ?? {});
  if (!servers.success) {
    const said = servers.error.issues.map((issue) => `mcp_servers.${issue.path.join('.')}: ${issue.message}`);
    throw new HoldfastError('BAD_CONFIG', said.join('; '), {}, servers.error);
  }
  const { scope, ignored = IGNORED, protected: named = [], revert_outside_scope: wanted = 'forbidden' } = options;
  const { root } = workspace;
  const unreachable = unreachablePaths(root.path, options.unreachable ?? []);
  const hidden = pathsInside(root.path, unreachable);
  // A configuration that is a symlink must be protected at its target, too.
  const kept = pathsInside(root.path, [...named, ...configPlaces(root.path)]);
  const isConfig = matchConfig(kept);
  const forbids = scopeJudge({ forbidden: scope?.forbidden ?? [], problems: [] });
  return {
    ...options,
    workspace,
    client: createTreeClient(),
    judge: fileJudge(hidden, isConfig, scope),
    links: linkJudge({ ...options, root, ignored, unreachable }),
    /** Restores Holdfast's own configuration, inside the workspace and outside. */
    guard: guardConfig(root.path, [...kept, ...named]),
    /** Paths in the workspace that file tools may not reach. */
    hidden,
    /** True if a file changed outside the scope should be restored. */
    revert: (path: string) =>
      isConfig(path) || (wanted === 'forbidden' ? forbids(path, 'write') !== undefined : wanted),
    /** Reports a problem with an MCP server. */
    warn,
    ignored,
    unreachable,
    outputs: options.outputs ?? memoryOutputs(),
    max_output_chars: Math.max(1_000, options.max_output_chars ?? 20_000),
    max_watched_files: options.max_watched_files ?? 20_000,
    time_limit_ms: options.time_limit_ms ?? 120_000,
    search_limit_ms: options.search_limit_ms ?? 10_000,
    grace_ms: options.grace_ms ?? 2_000,
    mcp_servers: servers.data,
    mcp_start_limit_ms: options.mcp_start_limit_ms ?? 15_000,
    env: options.env ?? process.env,
    pass_env: options.pass_env ?? [],
  };
}
