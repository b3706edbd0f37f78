export { FAULT_KINDS, type Fault, type FaultKind, type FaultRate } from './faults.ts';
export {
  type AnthropicStandInModel,
  type GeminiStandInModel,
  type OpenaiStandInModel,
  STAND_IN_MODELS,
  type StandInModel,
} from './models.ts';
export type {
  Answer,
  Prompt,
  PromptCall,
  PromptMessage,
  PromptResult,
  PromptTool,
  Script,
  StandInApi,
} from './script.ts';
export { type CodingTaskOptions, codingTask } from './scripts/coding-task.ts';
export { conversation } from './scripts/conversation.ts';
export { echo } from './scripts/echo.ts';
export { fixedAnswers } from './scripts/fixed-answers.ts';
export { type LoopCall, type ToolLoopOptions, toolLoop } from './scripts/tool-loop.ts';
export { createStandIn, type StandIn, type StandInOptions } from './stand-in.ts';
export type { RecordedRequest } from './state.ts';
