import type { ModelOverrides } from '@holdfast/models';
import type { ConversationHistoryConfig } from 'holdfast';
import type { SharedSettings } from '../providers/definition.ts';
import type { OwnSettings, ProviderType } from '../providers/index.ts';
import type { McpServers } from '../tools/mcp/config.ts';
import type { EXECUTION, PROXY, SESSIONS, SKILLS, TOOLS, VALIDATION } from './keys.ts';
import type { Values } from './row.ts';

/** `holdfast.yml` or `.ai/config.yml` with every default filled in. YAML and code use the same names; API keys are never in it. */
export interface HoldfastConfig {
  readonly provider: ProviderConfig;
  readonly execution: ExecutionConfig;
  readonly validation: ValidationConfig;
  readonly skills: SkillsConfig;
  readonly tools: ToolsConfig;
  readonly sessions: SessionsConfig;
  readonly proxy: ProxyConfig;
  readonly mcp_servers: McpServers;
  /** Corrections and additions to the model table: windows, prices, thinking. */
  readonly models: ModelOverrides;
}

/** The provider's type, the keys that all providers share, and those that each has of its own. */
export type ProviderConfig = SharedSettings & OwnSettings & { readonly type: ProviderType };

export type ExecutionConfig = Values<typeof EXECUTION> & {
  readonly conversation: ConversationHistoryConfig;
  /** Short for `conversation.max_messages`, which overrides it. A loaded configuration has only the full form. */
  readonly max_conversation_messages?: number;
};

export type ValidationConfig = Values<typeof VALIDATION>;
export type SkillsConfig = Values<typeof SKILLS>;
export type ToolsConfig = Values<typeof TOOLS>;
export type SessionsConfig = Values<typeof SESSIONS>;
export type ProxyConfig = Values<typeof PROXY>;

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
