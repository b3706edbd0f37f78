import type { Dialect } from '../dialect.ts';
import type { DialectName } from '../dialects/detect.ts';
import type { Receipt } from '../fold/receipt.ts';
import type { Rewritten } from '../history/memory.ts';
import type { Repair } from '../history/repair.ts';
import type { Archive } from '../state/archive.ts';
import type { WindowState } from '../state/state.ts';
import type { SummaryEvent } from '../summaries/fold-summaries.ts';
import type { Summarizer } from '../summaries/summaries.ts';

/** What happens inside a window, as it happens. */
export type WindowEvent =
  | { readonly type: 'fold-end' | 'fold-undo' | 'fold-redo'; readonly receipt: Receipt }
  | ({ readonly type: 'history-rewritten' } & Rewritten)
  | { readonly type: 'history-repaired'; readonly repairs: readonly Repair[] }
  | { readonly type: 'calibration-reset'; readonly model: string }
  | SummaryEvent;

/** Prices of a provider's cache, in any unit. */
export interface CachePrices {
  readonly write: number;
  readonly read: number;
}

/** What a window works with. */
export interface WindowParts<M> {
  /** Default: found out from the messages. */
  readonly dialect?: Dialect<M> | DialectName;
  /** Counts the tokens of a text, for those who have a tokenizer. Default: characters / 3, corrected by `observe()`. */
  readonly tokens?: (text: string) => number;
  /** Writes the summaries that the configuration or the strategy asks for. */
  readonly summarizer?: Summarizer;
  /** What it costs to write a token to the provider's cache and to read one, in any unit: `fold` goes by it. Default 1.25 and 0.1. */
  readonly prices?: CachePrices;
  /** Where originals go. Default: memory. */
  readonly archive?: Archive<M>;
  /** Default: the console. */
  readonly logger?: { warn(message: string): void };
  readonly onEvent?: (event: WindowEvent) => void;
  /** What `state()` gave: nothing is decided again. */
  readonly state?: WindowState<M>;
}
