import type { CommandToolConfig, McpServers, ProviderConfig } from '@holdfast/agent';
import type { ConversationHistoryConfig, StrategyName } from 'holdfast';
import type { CarriedNote } from 'holdfast/restore';

/** `crew.yml` with every default filled in. One spelling in YAML and in code. */
export interface CrewConfig {
  /** The agent that gets the user's input. */
  readonly entry: string;
  /** Most messages in the crew's history, and in the window of an agent without its own limit. */
  readonly max_messages_per_request: number;
  /** How the history is kept within that limit. */
  readonly strategy: StrategyName;
  readonly limits: CrewLimits;
  /** For all agents; an agent's own keys override it. */
  readonly provider: Partial<ProviderConfig>;
  readonly conversation: ConversationHistoryConfig;
  readonly tools: Readonly<Record<string, CommandToolConfig>>;
  readonly mcp_servers: McpServers;
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly groups: Readonly<Record<string, GroupConfig>>;
}

/** Limits of one request. */
export interface CrewLimits {
  readonly max_hand_offs: number;
  /** Turns of all agents. */
  readonly max_rounds: number;
  readonly max_seconds: number;
  /** Dollars of the whole crew; 0 = no limit. */
  readonly max_cost: number;
}

export interface AgentConfig {
  /** The system prompt. */
  readonly role: string;
  /** Its description for the other agents. */
  readonly about?: string;
  readonly model?: string;
  readonly provider: Partial<ProviderConfig>;
  /** Names from `tools`, of the built-in tools for files and commands, or of MCP servers' tools. */
  readonly tools: readonly string[];
  readonly max_messages_per_request?: number;
  readonly conversation: ConversationHistoryConfig;
  /** Agents and groups that it may hand over to, with a signal in its answer or the tool `hand_off`. */
  readonly hand_offs: readonly string[];
  /** More signals, each with its target. */
  readonly signals: Readonly<Record<string, string>>;
  /** Who acts next if its answer has no signal. */
  readonly next?: string;
  /** Its answer is the crew's answer. */
  readonly terminal: boolean;
  /** Without a signal, its answer is a question to the user, and the reply comes back to it. */
  readonly pause: boolean;
}

/** Agents that work in parallel, and the agent that gets their answers. */
export interface GroupConfig {
  readonly agents: readonly string[];
  readonly join: string;
  /** Agents that take longer are left out; 0 = only the crew's limit. */
  readonly max_seconds: number;
  readonly about?: string;
}

/** A message of the crew's history, in the format of Chat Completions; `name` is the speaker. */
export type CrewMessage =
  | {
      readonly role: 'user' | 'system';
      readonly content: string;
      readonly name?: string;
      /** In the note: what it stands for, for the next fold to merge. */
      readonly holdfast?: CarriedNote;
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly name?: string;
      readonly holdfast?: CarriedNote;
      readonly tool_calls?: readonly CrewCall[];
    }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

export interface CrewCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}
