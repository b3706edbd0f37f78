export type {
  Cost,
  ErrorCategory,
  ExecutionOptions,
  ExecutionResult,
  Logger,
  Provider,
  ProviderEvent,
  TokenUsage,
  Tool,
  ToolContext,
} from './providers/provider.ts';
export { createTools, type Tools, type ToolsOptions } from './tools/create-tools.ts';
export type { AgentTool, Approve, Call, ToolResult } from './tools/define.ts';
export type { Outcome } from './tools/endings.ts';
export { folderOutputs } from './tools/folder-outputs.ts';
export { type McpServer, type McpServers, mcpServersSchema } from './tools/mcp-config.ts';
export { memoryOutputs, type OutputPart, type OutputStore, type OutputWriter } from './tools/outputs.ts';
export type { Recall } from './tools/recall.ts';
export { parseScope, type Scope, type ScopeRule } from './tools/scope.ts';
