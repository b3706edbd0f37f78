export { MAX_CONTENT_CHARS } from './clean-message.ts';
export type {
  AgentConfig,
  CommandToolConfig,
  CrewCall,
  CrewConfig,
  CrewLimits,
  CrewMessage,
  GroupConfig,
} from './crew.ts';
export type { CrewEvent, CrewLimit, CrewResult } from './events.ts';
export { CrewExecutor, type CrewOptions, type CrewParts } from './executor.ts';
export type { Place } from './history.ts';
export { type CrewInput, crewConfig, type LoadedCrew, loadCrew, readCrew } from './load-crew.ts';
export { type CrewMetrics, createCrewMetrics } from './metrics.ts';
export { type OpenCrew, openCrew } from './open-crew.ts';
export {
  type CrewSession,
  createCrewSession,
  crewSessionInfo,
  readCrewSession,
  runInSession,
  sessionFor,
} from './session.ts';
export { routeTo } from './signals.ts';
export type { AgentUsage, ContextUse, CrewUsage } from './usage.ts';
export { usageTable } from './usage-table.ts';
export { type Turn, whoseTurn } from './whose-turn.ts';
