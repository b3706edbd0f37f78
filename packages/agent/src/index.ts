export type { HoldfastConfig, LoadedConfig, ProviderConfig } from './config/config.ts';
export { createProvider } from './config/create-provider.ts';
export { loadConfig } from './config/load-config.ts';
export { runTask, type TaskSetup } from './executor/executor.ts';
export { newestRun, newRun, readRun, type SavedRun } from './executor/run-log.ts';
export type { ExecutorEvent, ExecutorResult, ExecutorState } from './executor/state.ts';
export { parseTask, type Task } from './executor/task.ts';
export type { Api, ApiAnswer, ApiCall, ApiRequest, NamedResult, ShortAnswer } from './loop/api.ts';
export type { ApiOptions } from './loop/api-options.ts';
export { type ApiProvider, createApiProvider } from './loop/api-provider.ts';
export { resumeFrom } from './loop/saved.ts';
export { anthropicApi } from './providers/anthropic-api/index.ts';
export type { AskedModel } from './providers/ask-model.ts';
export { type ClaudeCliConfig, claudeCli } from './providers/claude-cli/index.ts';
export { type CursorCliConfig, cursorCli } from './providers/cursor-cli/index.ts';
export { geminiApi } from './providers/gemini-api/index.ts';
export { createModelLookup, type ModelLookupOptions } from './providers/model-lookup.ts';
export { type OpenaiApiOptions, openaiApi } from './providers/openai-api/index.ts';
export {
  type Checkpoint,
  type CommandEnd,
  ERROR_CATEGORIES,
  type ErrorCategory,
  type ExecutionOptions,
  type ExecutionResult,
  type Logger,
  type PlainMessage,
  type Provider,
  type ProviderEvent,
  type Tool,
  type ToolContext,
} from './providers/provider.ts';
export { type CommandToolConfig, commandTools } from './tools/commands/command-tool.ts';
export { createTools, type Tools } from './tools/create-tools.ts';
export type { AgentTool, Approve, ToolResult } from './tools/define.ts';
export type { McpServers } from './tools/mcp/config.ts';
export type { ToolsOptions } from './tools/options.ts';
export { folderOutputs } from './tools/outputs/folder-outputs.ts';
export { memoryOutputs, type OutputStore } from './tools/outputs/outputs.ts';
export type { Scope } from './tools/scope/judge.ts';
export { parseScope } from './tools/scope/scope.ts';
