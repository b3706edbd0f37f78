// For Holdfast's command line alone: not an API, it may change in any release.
export { isConfigName } from './config/files.ts';
export { type ContextPart, type ContextSources, loadContext } from './executor/context.ts';
export { uncheckedWarnings } from './executor/executor.ts';
export { isInside } from './executor/inside.ts';
export { matchInstructions } from './executor/instructions.ts';
export { iterationsOf, type RunSpeaker, resultOf, runPrefix } from './executor/run-log.ts';
export type { ContextGauge, RunStatus, ValidationResult } from './executor/state.ts';
export { proposedChecks } from './executor/unchecked.ts';
export { aboutOf } from './executor/watch.ts';
export { createRedactor, knownKeys } from './loop/redactor.ts';
export { plannedBudget } from './loop/window-config.ts';
export { ERROR_CATEGORIES } from './providers/provider.ts';
export { readCommandText } from './tools/commands/command-text.ts';
export { runGroup } from './tools/commands/run-group.ts';
export { realPath } from './tools/files/real-path.ts';
export { filledOutput } from './tools/outputs/capture.ts';
export { maskedOutputs } from './tools/outputs/masked-outputs.ts';
