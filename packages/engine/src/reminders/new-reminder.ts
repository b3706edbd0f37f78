import type { Reminder } from '../view/view-turn.ts';

/** A reminder that `fit` added, where its lines come from, and what it costs. */
export interface NewReminder extends Reminder {
  /** The files that its lines are from, or the names that the user asked about. */
  readonly about: readonly string[];
  readonly handles: readonly string[];
  readonly tokens: number;
}
