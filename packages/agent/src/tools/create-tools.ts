import { HoldfastError } from 'holdfast';
import { configPlaces } from '../config/config-names.ts';
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

/** How tools are made. No measurement supports the default numbers; they are those of common agents. */
export interface ToolsOptions {
  /** The folder that the tools for files are confined to. */
  readonly workspace: string;
  /** What may be read and written in it. Default: everything. */
  readonly scope?: Scope;
  /**
   * What is put back of all that a command or an MCP server changed outside of the scope; the rest is only told. Default
   * what is Forbidden: what is merely not Allowed may be what a build makes.
   */
  readonly revert_outside_scope?: boolean | 'forbidden';
  /**
   * Files and folders that no tool for files may write, in any spelling, and that are put back if a command or an MCP server
   * changes them; from the workspace, or absolute. Every name of a configuration is protected without being named here, and so
   * are the configurations of the folders above and the user's own.
   */
  readonly protected?: readonly string[];
  /**
   * Files and folders that no tool for files reads, lists or writes; from the workspace, or absolute. Holdfast's own folder
   * (`HOLDFAST_HOME`, `~/.holdfast`) and well-known places of credentials (`~/.ssh`) always are. Commands and MCP servers run as the user and can reach them.
   */
  readonly unreachable?: readonly string[];
  /** Folders that are left out of lists, searches and watching. Default `.git` and `node_modules`. */
  readonly ignored?: readonly string[];
  /** Most characters of a result. Default 20,000. */
  readonly max_output_chars?: number;
  /** Where longer results go. Default: memory. */
  readonly outputs?: OutputStore;
  /** Most milliseconds of a command or of a call to an MCP server. Default 120,000. */
  readonly time_limit_ms?: number;
  /** Most milliseconds of a search or a list. Default 10,000. */
  readonly search_limit_ms?: number;
  /** Between asking processes to end and ending them. Default 2,000. */
  readonly grace_ms?: number;
  /** Most files that are watched while a command runs. Default 20,000. */
  readonly max_watched_files?: number;
  /** Commands that may be run, such as `npm test` or `npx vitest *`. Default: all. */
  readonly allowed_commands?: readonly string[];
  /** Variables that commands get although they look like keys. */
  readonly pass_env?: readonly string[];
  /** The variables that commands get, less those. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Asked before each write, edit, command and MCP call. Default: yes. */
  readonly approve?: Approve;
  /** Gives what a handle of the conversation stands for. Default: what the provider says. */
  readonly recall?: Recall;
  /** Told when the model says that the task is complete or blocked. */
  readonly onOutcome?: (outcome: Outcome) => void;
  readonly mcp_servers?: McpServers;
  /** Most milliseconds for an MCP server to start. Default 15,000. */
  readonly mcp_start_limit_ms?: number;
  /** Ends the start of MCP servers: tools come back without theirs. It ends nothing later. */
  readonly signal?: AbortSignal;
  readonly logger?: Pick<Logger, 'warn'>;
}

const SWEEP_MS = 3_000;

/** Tools, ready to be given to a provider. */
export interface Tools {
  readonly tools: readonly AgentTool[];
  /** What went wrong with MCP servers, as it goes wrong; no keys in it. */
  readonly warnings: readonly string[];
  /** Ends MCP servers and the thread that searches. */
  close(): Promise<void>;
}

/** Makes the agent's tools and starts its MCP servers. Throws BAD_CONFIG; a server that fails is only a warning. */
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
  // A configuration that is a symlink tells what to do under the name of its target, too.
  const kept = pathsInside(root.path, [...(options.protected ?? []), ...configPlaces(root.path)]);
  const isConfig = matchConfig(kept);
  const judge = hiding(hidden, protecting(isConfig, scopeJudge(scope)));
  const links = linkJudge({ root, ignored, unreachable, ...(scope ? { scope } : {}) });
  const files = { workspace, judge, links };
  const client = createTreeClient();
  // Nobody need wait for it; lists, searches and watching come after it.
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
