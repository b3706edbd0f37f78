export type { AiSdkMessage, AiSdkOptions, AiSdkOutput, AiSdkPart } from '../dialects/ai-sdk-wire.ts';
export type { AnthropicBlock, AnthropicMessage, CacheControl } from '../dialects/anthropic-wire.ts';
export type { OpenaiChatCall, OpenaiChatMessage } from '../dialects/openai-chat-wire.ts';
export type { OpenaiResponsesItem } from '../dialects/openai-responses-wire.ts';
export { claudeImageTokens, type ImageSize, imageSize, openaiImageTokens, pdfTokens } from '../media.ts';
export { AI_SDK_RULES, type AiSdkRequest, type AiSdkRule, validateAiSdk } from './ai-sdk.ts';
export { validateAnthropic } from './anthropic.ts';
export type { AnthropicModel, AnthropicRequest, SignatureFault } from './anthropic-request.ts';
export { ANTHROPIC_RULES, type AnthropicRule } from './anthropic-rule-table.ts';
export { missingThinking } from './anthropic-thinking-rules.ts';
export {
  OPENAI_CHAT_RULES,
  type OpenaiChatRequest,
  type OpenaiChatRule,
  openaiChatError,
  validateOpenaiChat,
} from './openai-chat.ts';
export {
  OPENAI_RESPONSES_RULES,
  type OpenaiResponsesRequest,
  type OpenaiResponsesRule,
  type OpenaiResponsesViolation,
  openaiResponsesError,
  validateOpenaiResponses,
} from './openai-responses.ts';
export type { Violation } from './violation.ts';
