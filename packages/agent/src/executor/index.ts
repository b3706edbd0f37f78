export { plannedBudget } from '../loop/window-config.ts';
export { type ContextPart, type ContextSources, loadContext } from './context.ts';
export { uncheckedWarnings } from './executor.ts';
export { matchInstructions } from './instructions.ts';
export { iterationsOf, type RunSpeaker, resultOf } from './run-log.ts';
export type { ContextGauge, RunStatus, ValidationResult } from './state.ts';
export { proposedChecks } from './unchecked.ts';
export { aboutOf } from './watch.ts';
