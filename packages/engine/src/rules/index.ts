export { AI_SDK_RULES, type AiSdkRequest, type AiSdkRule, validateAiSdk } from '../dialects/ai-sdk/request/validate.ts';
export type { AiSdkMessage, AiSdkOptions, AiSdkOutput, AiSdkPart } from '../dialects/ai-sdk/wire.ts';
export {
  ANTHROPIC_RULES,
  type AnthropicModel,
  type AnthropicRequest,
  type AnthropicRule,
  type SignatureFault,
} from '../dialects/anthropic/request/rules.ts';
export { missingThinking } from '../dialects/anthropic/request/thinking.ts';
export { validateAnthropic } from '../dialects/anthropic/request/validate.ts';
export type { AnthropicBlock, AnthropicMessage, CacheControl } from '../dialects/anthropic/wire.ts';
export {
  GEMINI_RULES,
  type GeminiRequest,
  type GeminiRule,
  geminiError,
  validateGemini,
} from '../dialects/gemini/request/validate.ts';
export {
  type GeminiCall,
  type GeminiContent,
  type GeminiPart,
  type GeminiResponse,
  UNSIGNED as GEMINI_UNSIGNED,
} from '../dialects/gemini/wire.ts';
export {
  OPENAI_CHAT_RULES,
  type OpenaiChatRequest,
  type OpenaiChatRule,
  openaiChatError,
  validateOpenaiChat,
} from '../dialects/openai-chat/request/validate.ts';
export type { OpenaiChatCall, OpenaiChatMessage } from '../dialects/openai-chat/wire.ts';
export { toolsIn as openaiResponsesTools } from '../dialects/openai-responses/request/fields.ts';
export {
  OPENAI_RESPONSES_RULES,
  type OpenaiResponsesRequest,
  type OpenaiResponsesRule,
  type OpenaiResponsesViolation,
  openaiResponsesError,
  validateOpenaiResponses,
} from '../dialects/openai-responses/request/validate.ts';
export type { OpenaiResponsesItem } from '../dialects/openai-responses/wire.ts';
export { refusesThinking } from '../dialects/refuses-thinking.ts';
export {
  claudeImageTokens,
  geminiImageTokens,
  type ImageSize,
  imageSize,
  openaiImageTokens,
  pdfTokens,
} from '../size/media.ts';
export type { RequestViolation } from './pair-rules.ts';
