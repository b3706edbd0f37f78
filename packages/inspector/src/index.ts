export { type Caller, hasToken, isForeignSite, isLoopbackHost } from './api/guard.ts';
export type { SessionOwner } from './api/parts.ts';
export { missingPage } from './app-files.ts';
export type { ModelFacts, ModelLookup } from './data/call-costs.ts';
export { createInspector, type Inspector, type InspectorOptions } from './inspector.ts';
