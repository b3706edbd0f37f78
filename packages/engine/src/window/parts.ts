import type { Dialect, Handles } from '../dialect.ts';
import type { DialectName } from '../dialects/detect.ts';
import type { Receipt } from '../fold/receipt.ts';
import type { Rewritten } from '../history/memory.ts';
import type { repairAgain } from '../history/repair.ts';
import type { Repair } from '../history/repairs.ts';
import type { NewReminder } from '../reminders/new-reminder.ts';
import type { reminders } from '../reminders/reminders.ts';
import type { Archive } from '../state/archive.ts';
import type { WindowState } from '../state/state.ts';
import type { Language } from '../statements/language.ts';
import type { SummaryEvent } from '../summaries/fold-summaries.ts';
import type { summaries } from '../summaries/model-summaries.ts';
import type { Summarizer } from '../summaries/summaries.ts';

/** An event inside a window. */
export type WindowEvent =
  | { readonly type: 'fold-end' | 'fold-undo' | 'fold-redo'; readonly receipt: Receipt }
  | ({ readonly type: 'history-rewritten' } & Rewritten)
  | { readonly type: 'history-repaired'; readonly repairs: readonly Repair[] }
  | { readonly type: 'calibration-reset'; readonly model: string }
  | ({ readonly type: 'reminder-add' } & NewReminder)
  | SummaryEvent;

/** Prices of a provider's cache, in any unit. */
export interface CachePrices {
  readonly write: number;
  readonly read: number;
}

/** Everything that can be plugged into a window. */
export interface WindowParts<M> {
  /** Default: detected from the messages. */
  readonly dialect?: Dialect<M> | DialectName;
  /** The languages whose statements are found. Default: all. */
  readonly languages?: readonly Language[];
  /** The tokens of a text, if you have a tokenizer. Default: characters / 3, corrected by `observe()`. */
  readonly tokens?: (text: string) => number;
  /** Writes the summaries that the configuration or the strategy asks for. */
  readonly summarizer?: Summarizer;
  /** The price of writing a token to the provider's cache and of reading one, in any unit; `fold` uses it. Default 1.25 and 0.1. */
  readonly prices?: CachePrices;
  /** Where originals go. Default: memory. */
  readonly archive?: Archive<M>;
  /** Default: the console. */
  readonly logger?: { warn(message: string): void };
  readonly onEvent?: (event: WindowEvent) => void;
  /**
   * False for a model that cannot recall: then nothing in the view names a handle. `scope` names the conversation in each
   * handle (`m41@ID`), for a recall that serves several conversations; a state keeps its scopes, and messages that come later
   * get this one. `how` is the note's sentence on how to recall, with `{handle}` for an example. Default true.
   */
  readonly handles?: Handles;
  /** What `state()` returned: continues without deciding anything again. */
  readonly state?: WindowState<M>;
}

/** What can be plugged into a window that has nothing by itself. */
export interface CoreParts<M> extends Omit<WindowParts<M>, 'dialect' | 'languages'> {
  /** The format of the messages, or the formats among which they decide; the last one gets plain text, which all share. */
  readonly dialect: Dialect<M> | readonly Dialect[];
  readonly languages: readonly Language[];
  /** `reminders` from the same entry; without it, nothing folded comes back by itself. */
  readonly reminders?: Reminders;
  /** `repair` from the same entry, for `repair: true`. */
  readonly repair?: Repairing;
  /** `summaries` from the same entry, for `summarizer` and `summarize()`. */
  readonly summaries?: ModelSummaries;
}

export type Reminders = typeof reminders;
export type Repairing = typeof repairAgain;
export type ModelSummaries = typeof summaries;
