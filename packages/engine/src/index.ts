export type { ConversationHistoryConfig } from './config.ts';
export { configuredBudget } from './configured-budget.ts';
export type {
  Call,
  Dialect,
  Handles,
  Limits,
  MediaSizes,
  Reading,
  Result,
  Role,
  Thinking,
  Tidied,
  TidyPlace,
  Violation,
} from './dialect.ts';
export { aiSdk } from './dialects/ai-sdk/dialect.ts';
export { anthropic } from './dialects/anthropic/dialect.ts';
export { DIALECT_NAMES, type DialectName, detectDialect, dialectNamed, type MessageOf } from './dialects/detect.ts';
export { gemini } from './dialects/gemini/dialect.ts';
export { openaiChat } from './dialects/openai-chat/dialect.ts';
export { openaiResponses } from './dialects/openai-responses/dialect.ts';
export { HoldfastError, type HoldfastErrorCode, isHoldfastError } from './errors.ts';
export type { Receipt, ReceiptTurn } from './fold/receipt.ts';
export { type TrimOutputOptions, trimOldToolOutput } from './fold/trim-output.ts';
export { type HandleTarget, handleTarget, messageHandle } from './handles/handles.ts';
export type { Recalled } from './history/recall.ts';
export { repairHistory } from './history/repair-history.ts';
export type { Repair, Repaired } from './history/repairs.ts';
export { type Digest, EMPTY_DIGEST, type NameFact, type Remark, type ToolFact } from './note/digest.ts';
export { maskSecrets } from './secrets/secrets.ts';
export type { Budget, Size } from './size/budget.ts';
export type { Calibration } from './size/tokens.ts';
export { promptTokensOf, type UsageReport } from './size/usage.ts';
export { type Archive, type ArchiveEntry, memoryArchive } from './state/archive.ts';
export type { FoldEntry, KeptTurn, WindowState } from './state/state.ts';
export { asksForSummaries, idleKeys, STRATEGY_NAMES, type StrategyName } from './strategies/index.ts';
export { toolOutputTrimmer } from './strategies/trimmer.ts';
export {
  type CallKind,
  type Judgement,
  type NoteKind,
  PREFERENCES,
  type Preference,
  type Strategy,
  type Turn,
  type TurnResult,
  type Verdict,
  type Wording,
} from './strategy.ts';
export type { SummaryEvent } from './summaries/fold-summaries.ts';
export type { Summarizer, SummarizerOptions, SummaryFailure } from './summaries/summaries.ts';
export { type SummarizeOptions, summarizeMessages } from './summarize-messages.ts';
export { hashMessage } from './turns/same-message.ts';
export type { Reminder } from './view/view-turn.ts';
export { type NoteLine, noteLines, noteText, type WrittenNote } from './view/written-note.ts';
export type { ConversationMetrics, FitMetrics, FitOptions, Fitted } from './window/fit.ts';
export type { CachePrices, WindowEvent, WindowParts } from './window/parts.ts';
export { ConversationWindow } from './window.ts';
