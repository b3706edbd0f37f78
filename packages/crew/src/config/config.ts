import type { CommandToolConfig, McpServers, ProviderConfig } from '@holdfast/agent';
import type { ConversationHistoryConfig, StrategyName } from 'holdfast';

/** `crew.yml` with every default filled in. One spelling in YAML and in code. */
export interface CrewConfig {
  /** The agent that hears the user first. */
  readonly entry: string;
  /** Most messages of the crew's history, and of an agent's window that has no limit of its own. */
  readonly max_messages_per_request: number;
  /** How the history is kept within that. */
  readonly strategy: StrategyName;
  readonly limits: CrewLimits;
  /** For all agents; an agent's own stands over it, key by key. */
  readonly provider: Partial<ProviderConfig>;
  readonly conversation: ConversationHistoryConfig;
  readonly tools: Readonly<Record<string, CommandToolConfig>>;
  readonly mcp_servers: McpServers;
  readonly agents: Readonly<Record<string, AgentConfig>>;
  readonly groups: Readonly<Record<string, GroupConfig>>;
}

/** What one request may take. */
export interface CrewLimits {
  readonly max_hand_offs: number;
  /** Turns of all agents. */
  readonly max_rounds: number;
  readonly max_seconds: number;
  /** Dollars of the whole crew; 0 = no limit. */
  readonly max_cost: number;
}

export interface AgentConfig {
  /** What it is told of itself: the system prompt. */
  readonly role: string;
  /** What the others are told of it. */
  readonly about?: string;
  readonly model?: string;
  readonly provider: Partial<ProviderConfig>;
  /** Names: of `tools` in the file, of the tools for files and commands, of MCP servers' tools. */
  readonly tools: readonly string[];
  readonly max_messages_per_request?: number;
  /** Its own window. */
  readonly conversation: ConversationHistoryConfig;
  /** Agents and groups that it may hand over to: by a signal in its answer, or by the tool `hand_off`. */
  readonly hand_offs: readonly string[];
  /** More signals, and to whom each leads. */
  readonly signals: Readonly<Record<string, string>>;
  /** Who goes on where its answer has no signal. */
  readonly next?: string;
  /** Its answer is the crew's. */
  readonly terminal: boolean;
  /** Where its answer has no signal, the user is asked, and what they say comes back to it. */
  readonly pause: boolean;
}

/** Agents that work at the same time, and who gets what they found. */
export interface GroupConfig {
  readonly agents: readonly string[];
  readonly join: string;
  /** Those that are not done by then are left out; 0 = no limit but the crew's. */
  readonly max_seconds: number;
  readonly about?: string;
}

/** A message of the crew's history: as Chat Completions has it, with `name` for who spoke. */
export type CrewMessage =
  | { readonly role: 'user' | 'system'; readonly content: string; readonly name?: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly name?: string;
      readonly tool_calls?: readonly CrewCall[];
    }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string };

export interface CrewCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}
