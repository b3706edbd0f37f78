export { type Advice, type AdviceOptions, advise, type Candidate, type Interval, type PassedOver } from './advice.ts';
export { type Billed, createCache } from './cache.ts';
export { type ChatCall, type ChatMessage, plainText, toChat } from './chat.ts';
export { messageSize } from './cost.ts';
export type { Fills } from './fills.ts';
export { literalsIn } from './literals.ts';
export { createPolicy, POLICIES, type PolicyOptions, policyConfig, wantsSummaries } from './policies.ts';
export { medianError, type PredictionError, predictPrompts, type RecordedPrompt } from './prediction.ts';
export { PROBES, type Probe } from './probe-texts.ts';
export { type ProbeOptions, type ProbeResult, type ProbeSummary, probe, summarizeProbes } from './probes.ts';
export {
  type Bill,
  type CallFigures,
  type Conversation,
  type Policy,
  type ReplayOptions,
  type ReplayResult,
  replay,
} from './replay.ts';
export { relativeCostAt, type Summary, summarize } from './summary.ts';
export { parseTranscript, type Transcript } from './transcript.ts';
export { chatViolations } from './validity.ts';
