import type { Logger } from '../providers/provider.ts';
import type { Approve } from './define.ts';
import type { McpServers } from './mcp/config.ts';
import type { OutputStore } from './outputs/outputs.ts';
import type { Scope } from './scope/judge.ts';

/** Returns the text behind a handle of the conversation, or undefined for an unknown handle. */
export type Recall = (handle: string) => Promise<string | undefined> | string | undefined;

/** How the model ended the task. */
export interface Outcome {
  readonly type: 'complete' | 'blocked';
  /** What was done, or what blocks the task. */
  readonly text: string;
}

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
