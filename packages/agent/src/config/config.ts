import type { ConversationHistoryConfig } from 'holdfast';
import type { ModelOverrides } from '../models/model.ts';
import type { ProviderType } from '../providers/index.ts';
import type { McpServers } from '../tools/mcp/config.ts';

/** `holdfast.yml` or `.ai/config.yml` with every default filled in. YAML and code use the same names; API keys are never in it. */
export interface HoldfastConfig {
  readonly provider: ProviderConfig;
  readonly execution: ExecutionConfig;
  readonly validation: ValidationConfig;
  readonly skills: SkillsConfig;
  readonly tools: ToolsConfig;
  readonly sessions: SessionsConfig;
  readonly mcp_servers: McpServers;
  /** Corrections and additions to the model table: windows, prices, thinking. */
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
  /** Maximum tokens in one answer. */
  readonly max_output?: number;
  /** Whether the model thinks before it answers. Default: chosen by the provider. */
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
  /** Short for `conversation.max_messages`, which overrides it. A loaded configuration has only the full form. */
  readonly max_conversation_messages?: number;
  readonly conversation: ConversationHistoryConfig;
  /** File in the workspace with rules for agents. */
  readonly agents_file: string;
  /** Name of a role, or a path. Default: the task's suggested role. */
  readonly role?: string;
}

export interface ValidationConfig {
  /** Commands to run after each iteration; all must succeed before a task is complete. */
  readonly commands: readonly string[];
  /** Seconds for each. */
  readonly timeout: number;
}

export interface SkillsConfig {
  readonly enabled: boolean;
  /** Folders to search in addition to `.ai/skills`. */
  readonly directories: readonly string[];
  /** The skills to use. Default: all skills found. */
  readonly use?: readonly string[];
}

export interface ToolsConfig {
  /** Commands the model may run. Default: all. */
  readonly allowed_commands?: readonly string[];
  /** Which changes a command made outside the scope are reverted: all, none, or those to Forbidden files. */
  readonly revert_outside_scope: boolean | 'forbidden';
  readonly ignored: readonly string[];
  readonly max_output_chars: number;
  /** Seconds for a command. */
  readonly timeout: number;
  readonly pass_env: readonly string[];
}

export interface SessionsConfig {
  /** A file or postgres://…; default: `sessions.db` in Holdfast's home folder. */
  readonly store?: string;
  /** Whether to mask anything that looks like a key before it is written. */
  readonly mask_keys: boolean;
}

/** Where a value came from. */
export type ValueSource =
  | { readonly type: 'default' }
  | { readonly type: 'file'; readonly file: string; readonly line: number }
  | { readonly type: 'flag'; readonly flag: string }
  | { readonly type: 'environment'; readonly variable: string };

/** A loaded configuration, and where its values come from. */
export interface LoadedConfig {
  readonly config: HoldfastConfig;
  /** By dotted key, such as `execution.conversation.max_messages`. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** The folder's file, if there is one. */
  readonly file?: string;
  /** The user's own file, if there is one. */
  readonly userFile?: string;
  /** Values of the folder's file that only a trusted folder may set. */
  readonly claims: readonly Claim[];
  /** Whether those apply. */
  readonly trusted: boolean;
  readonly warnings: readonly string[];
}

/** A value in a folder's file that could do harm if a stranger wrote it. */
export interface Claim {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
}
