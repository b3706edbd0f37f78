import type { ExecutionOptions } from '@holdfast/agent';
import type { SavedConversation } from '../session/session-history.ts';

/** A history that a log keeps from request to request. */
export interface KeptHistory {
  /** Where its window stood, in place of the history that is handed in; undefined where no window keeps it. */
  readonly conversation?: SavedConversation;
  /** Characters of all that was ever said, as agents are told it. */
  readonly said: number;
  /** True if what was said before this request may be in a provider's cache. */
  readonly warm: boolean;
  /** As a provider's: waited for before anything else happens, and what it gives back is what comes into the history. */
  readonly record: NonNullable<ExecutionOptions['record']>;
}
