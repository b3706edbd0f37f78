import type { BegunCall, CallResult } from '@holdfast/sessions';
import type { ApiCall } from './api.ts';

/** The calls of the last answer, and their progress. */
export interface OpenCalls {
  readonly calls: readonly ApiCall[];
  /** Calls that have started, with their marks. */
  readonly begun: readonly BegunCall[];
  readonly results: readonly CallResult[];
}

export const NO_CALLS: OpenCalls = { calls: [], begun: [], results: [] };
