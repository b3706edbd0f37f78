import type { ConversationHistoryConfig } from 'holdfast';
import type { ModelOverrides } from '../models/model.ts';
import type { ProviderType } from '../providers/index.ts';
import type { McpServers } from '../tools/mcp/config.ts';

/** `holdfast.yml` or `.ai/config.yml` with every default filled in. One spelling in YAML and in code; keys of APIs never stand in it. */
export interface HoldfastConfig {
  readonly provider: ProviderConfig;
  readonly execution: ExecutionConfig;
  readonly validation: ValidationConfig;
  readonly skills: SkillsConfig;
  readonly tools: ToolsConfig;
  readonly sessions: SessionsConfig;
  readonly mcp_servers: McpServers;
  /** What you know better of models: windows, prices, thinking. */
  readonly models: ModelOverrides;
}

export interface ProviderConfig {
  readonly type: ProviderType;
  /** Default: the provider's own. */
  readonly model?: string;
  /** Any server that speaks the API. */
  readonly base_url?: string;
  /** Which API of OpenAI. */
  readonly api: 'chat' | 'responses';
  /** Most tokens of one answer. */
  readonly max_output?: number;
  /** Whether the model thinks. Default: as it does by itself. */
  readonly thinking?: boolean;
  /** For providers that run a program: its name or path, and extra arguments. */
  readonly program?: string;
  readonly args: readonly string[];
  /** For `stand-in`: how many tool calls its script makes, and whether it may edit files and run commands. */
  readonly calls: number;
  readonly edits: boolean;
}

export interface ExecutionConfig {
  readonly max_iterations: number;
  /** Iterations in a row that fail, or do nothing, before the run gives up. */
  readonly max_consecutive_failures: number;
  /** Seconds; 0 = no limit. */
  readonly timeout_per_iteration: number;
  /** Minutes of the whole run; 0 = no limit. */
  readonly max_minutes: number;
  /** Dollars of the whole run; 0 = no limit. */
  readonly max_cost: number;
  /** Requests for one prompt of a chat; 0 = no limit. */
  readonly max_rounds?: number;
  /** Short for `conversation.max_messages`, which wins; that of a file is written out there. */
  readonly max_conversation_messages?: number;
  readonly conversation: ConversationHistoryConfig;
  /** File in the workspace with rules for agents. */
  readonly agents_file: string;
  /** Name of a role, or a path. Default: the task's suggested role. */
  readonly role?: string;
}

export interface ValidationConfig {
  /** Commands to be run after each iteration; all must succeed before a task is complete. */
  readonly commands: readonly string[];
  /** Seconds for each. */
  readonly timeout: number;
}

export interface SkillsConfig {
  readonly enabled: boolean;
  /** Folders to look in, beside `.ai/skills`. */
  readonly directories: readonly string[];
  /** Names of those to use. Default: all that are found. */
  readonly use?: readonly string[];
}

export interface ToolsConfig {
  /** Commands that may be run. Default: all. */
  readonly allowed_commands?: readonly string[];
  /** What is put back of what a command changed outside of the scope: all of it, nothing, or what is Forbidden. */
  readonly revert_outside_scope: boolean | 'forbidden';
  readonly ignored: readonly string[];
  readonly max_output_chars: number;
  /** Seconds for a command. */
  readonly timeout: number;
  readonly pass_env: readonly string[];
}

export interface SessionsConfig {
  /** A file or postgres://…; default: `sessions.db` in the home of Holdfast. */
  readonly store?: string;
  /** Key-like strings are masked before anything is written. */
  readonly mask_keys: boolean;
}

/** Where a value came from. */
export type ValueSource =
  | { readonly type: 'default' }
  | { readonly type: 'file'; readonly file: string; readonly line: number }
  | { readonly type: 'flag'; readonly flag: string }
  | { readonly type: 'environment'; readonly variable: string };

/** A configuration as it was found. */
export interface LoadedConfig {
  readonly config: HoldfastConfig;
  /** By the dotted name of each key, such as `execution.conversation.max_messages`. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** The folder's file that was read, if there is one. */
  readonly file?: string;
  /** The user's own, if there is one. */
  readonly user_file?: string;
  /** Values of the folder's file that only a trusted folder may set. */
  readonly claims: readonly Claim[];
  /** Whether those are obeyed. */
  readonly trusted: boolean;
  readonly warnings: readonly string[];
}

/** A value that a folder's file sets, and that may do harm if a stranger wrote it. */
export interface Claim {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
}
