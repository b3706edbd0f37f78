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
