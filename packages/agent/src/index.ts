export { createProvider } from './config/create-provider.ts';
export {
  commentedConfig,
  configText,
  type ExecutionConfig,
  type FlagValue,
  findConfigFile,
  type HoldfastConfig,
  hiddenConfig,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
  PROVIDER_TYPES,
  type ProviderConfig,
  type ProviderType,
  type SkillsConfig,
  shownPath,
  sourceText,
  type ToolsConfig,
  type ValidationConfig,
  type ValueSource,
} from './config/index.ts';
export { type Context, type ContextPart, loadContext } from './executor/context.ts';
export { runTask, type TaskSetup, uncheckedWarnings } from './executor/executor.ts';
export { isInside } from './executor/inside.ts';
export { matchInstructions } from './executor/instructions.ts';
export { newestRun, newRun, type RunSpeaker, readRun, runsFolder, type SavedRun } from './executor/run-store.ts';
export type {
  ContextGauge,
  ExecutorEvent,
  ExecutorResult,
  ExecutorState,
  RunStatus,
  ValidationResult,
} from './executor/state.ts';
export { parseTask, type Task } from './executor/task.ts';
export { aboutOf } from './executor/watch.ts';
export type { Api, ApiAnswer, ApiCall, ApiRequest, CallResult, ShortAnswer } from './loop/api.ts';
export type { ApiOptions, ResolvedOptions } from './loop/api-options.ts';
export {
  type ApiProvider,
  type ApiProviderSetup,
  type Connection,
  createApiProvider,
} from './loop/api-provider.ts';
export { type ConversationLog, createLog } from './loop/conversation-log.ts';
export { isOpen, resumeFrom } from './loop/saved.ts';
export { plannedBudget } from './loop/window-config.ts';
export { type AskedModel, createModelLookup, type ModelLookupOptions } from './models/ask-model.ts';
export {
  costOf,
  costOfTokens,
  type FoundModel,
  MODELS,
  MODELS_DATE,
  type ModelInfo,
  type ModelOverride,
  type ModelOverrides,
  type ModelsFile,
  modelInfo,
  type Prices,
  parseModels,
  promptOf,
  readModels,
  type TokenPrices,
  tokensOf,
  type UsedTokens,
} from './models/index.ts';
export { createLedger, type Ledger, type LedgerTotals } from './models/ledger.ts';
export { anthropicApi } from './providers/anthropic-api/index.ts';
export { type ClaudeCliConfig, claudeCli } from './providers/claude-cli/index.ts';
export type { CliConfig } from './providers/cli/kind.ts';
export { type CursorCliConfig, cursorCli } from './providers/cursor-cli/index.ts';
export { type OpenaiApiOptions, openaiApi } from './providers/openai-api/index.ts';
export type {
  Checkpoint,
  CommandEnd,
  Cost,
  ErrorCategory,
  ExecutionOptions,
  ExecutionResult,
  Logger,
  Progress,
  Provider,
  ProviderEvent,
  TokenUsage,
  Tool,
  ToolContext,
  Words,
} from './providers/provider.ts';
export {
  type CommandToolConfig,
  type CommandToolsOptions,
  commandSlots,
  commandTools,
} from './tools/commands/command-tool.ts';
export { createTools, type Tools, type ToolsOptions } from './tools/create-tools.ts';
export type { AgentTool, Approve, Call, ToolResult } from './tools/define.ts';
export type { Outcome } from './tools/endings.ts';
export { realPath } from './tools/files/real-path.ts';
export { type McpServer, type McpServers, mcpServersSchema } from './tools/mcp/config.ts';
export { folderOutputs } from './tools/outputs/folder-outputs.ts';
export { maskedOutputs } from './tools/outputs/masked-outputs.ts';
export { memoryOutputs, type OutputPart, type OutputStore, type OutputWriter } from './tools/outputs/outputs.ts';
export type { Recall } from './tools/recall.ts';
export type { Scope, ScopeRule } from './tools/scope/judge.ts';
export { parseScope } from './tools/scope/scope.ts';
