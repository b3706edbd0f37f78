export { type ChatCall, type ChatMessage, toChat } from './chat.ts';
export { messageSize, type Prices } from './cost.ts';
export { literalsIn } from './literals.ts';
export { type Policy, type ReplayOptions, type ReplayResult, replay } from './replay.ts';
export { type Summary, summarize } from './summary.ts';
export { parseTranscript, type Transcript } from './transcript.ts';
export { chatViolations } from './validity.ts';
