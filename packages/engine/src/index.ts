export { type Archive, type ArchiveEntry, memoryArchive } from './archive.ts';
export type { Budget, Size } from './budget.ts';
export { hashMessage } from './compare.ts';
export type { ConversationHistoryConfig } from './config.ts';
export type {
  Bulk,
  Call,
  Dialect,
  Limits,
  Reading,
  Result,
  Role,
  Thinking,
  Tidied,
  TidyPlace,
  Violation,
} from './dialect.ts';
export { aiSdk } from './dialects/ai-sdk.ts';
export { anthropic } from './dialects/anthropic.ts';
export { type DialectName, detectDialect } from './dialects/detect.ts';
export { openaiChat } from './dialects/openai-chat.ts';
export { openaiResponses } from './dialects/openai-responses.ts';
export { HoldfastError, type HoldfastErrorCode, isHoldfastError } from './errors.ts';
export type { ConversationMetrics, FitMetrics } from './metrics.ts';
export type { CachePrices, WindowEvent, WindowParts } from './parts.ts';
export type { Recalled } from './recall.ts';
export type { Receipt, ReceiptTurn } from './receipt.ts';
export { type Repair, type Repaired, repairHistory } from './repair.ts';
export type { FoldEntry, KeptTurn, WindowState } from './state.ts';
export { toolOutputTrimmer } from './strategies/trimmer.ts';
export type {
  CallKind,
  Judgement,
  NoteKind,
  Strategy,
  StrategyName,
  Turn,
  TurnResult,
  Verdict,
  Wording,
} from './strategy.ts';
export type { SummaryEvent } from './summaries/folded.ts';
export { maskSecrets } from './summaries/secrets.ts';
export type { Summarizer, SummarizerOptions, SummaryFailure } from './summaries/summaries.ts';
export { type SummarizeOptions, summarizeMessages } from './summaries/summarize-messages.ts';
export { type TrimOutputOptions, trimOldToolOutput } from './trim-output.ts';
export { ConversationWindow } from './window.ts';
