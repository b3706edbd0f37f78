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
} from '../dialect.ts';
export { aiSdk } from '../dialects/ai-sdk/dialect.ts';
export { anthropic } from '../dialects/anthropic/dialect.ts';
export { type DialectDefinition, defineDialect } from '../dialects/define.ts';
export { DIALECT_NAMES, DIALECTS, type DialectName, detectDialect, dialectNamed } from '../dialects/detect.ts';
export { gemini } from '../dialects/gemini/dialect.ts';
export { openaiChat } from '../dialects/openai-chat/dialect.ts';
export { openaiResponses } from '../dialects/openai-responses/dialect.ts';
