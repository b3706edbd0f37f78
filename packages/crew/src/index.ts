export type {
  AgentConfig,
  CrewCall,
  CrewConfig,
  CrewLimits,
  CrewMessage,
  GroupConfig,
} from './config/config.ts';
export { type CrewInput, crewConfig, type LoadedCrew, loadCrew, readCrew } from './config/load.ts';
export type { CrewEvent, CrewLimit, CrewResult } from './events.ts';
export { CrewExecutor, type CrewOptions, type CrewParts } from './executor.ts';
export type { AppendSource } from './history/history.ts';
export { MAX_CONTENT_CHARS } from './history/messages.ts';
export { type OpenCrew, openCrew } from './open-crew.ts';
export { createEventBuffer, type EventBuffer } from './request/event-buffer.ts';
export { type HandOffs, readHandOffs } from './routing/hand-off.ts';
export { type NextTurn, whoseTurn } from './routing/whose-turn.ts';
export {
  type CrewSession,
  createCrewSession,
  crewSessionInfo,
  readCrewSession,
  runInSession,
  sessionFor,
} from './session/session.ts';
export { travelInSession } from './session/travel.ts';
export { type CrewMetrics, createCrewMetrics, type MetricsRegistry } from './telemetry/metrics.ts';
export { type AgentContext, type AgentUsage, type CrewUsage, usageTable } from './usage/usage.ts';
