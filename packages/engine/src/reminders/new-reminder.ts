import type { Reminder } from '../view/view-turn.ts';

/** A reminder that `fit` added, where its lines come from, and what it costs. */
export interface NewReminder extends Reminder {
  readonly handles: readonly string[];
  readonly tokens: number;
}
