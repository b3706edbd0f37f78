import type { FoldTrace } from '@holdfast/replay/report';

/** The data of a replay report, as `holdfast replay --html` embeds it. Texts come from transcripts: show them as text. */
export interface ReportData {
  readonly conversations: number;
  readonly calls: number;
  /** How much advice asks to keep, in percent. */
  readonly minKept: number;
  readonly rows: readonly ReportRowData[];
  /** The row that the advice chose. */
  readonly advised?: number;
  /** The advice, line by line, and its settings for holdfast.yml. */
  readonly advice: readonly string[];
  readonly snippet?: string;
  /** The columns of the table, and its cells by row. */
  readonly columns: readonly ReportColumn[];
  /** What the figures are of, a sentence each. */
  readonly facts: readonly string[];
  /** Words of the table, and what they mean. */
  readonly meanings: readonly (readonly [string, string])[];
  /** Parts of files that were skipped. */
  readonly remarks: readonly string[];
  /** The longest conversations, longest first. */
  readonly talks: readonly ReportTalk[];
}

/** One policy with one budget. Percentages run from 0 to 100. */
export interface ReportRowData {
  readonly policy: string;
  /** Null for `everything`. */
  readonly budget: number | null;
  /** As a multiple of sending everything. */
  readonly cost: number | null;
  readonly dollars: number | null;
  readonly dollarsEverything: number | null;
  /** True if `dollars` covers every conversation. */
  readonly isPriced: boolean;
  readonly coverage: number | null;
  readonly spans: number | null;
  /** The average of both, or the one that there is. */
  readonly kept: number | null;
}

export interface ReportColumn {
  readonly head: string;
  readonly cells: readonly string[];
  /** False for figures that few readers need. */
  readonly isMain: boolean;
}

/** A conversation, call by call. */
export interface ReportTalk {
  readonly name: string;
  readonly calls: number;
  readonly peak: number;
  /** One for each row of the report. */
  readonly runs: readonly ReportRun[];
}

/** A conversation under one policy and budget. The lists have an element for each of `at`, which may leave calls out. */
export interface ReportRun {
  /** Numbers of the calls, from 1. */
  readonly at: readonly number[];
  readonly history: readonly number[];
  readonly view: readonly number[];
  /** Numbers of all calls that lacked something. */
  readonly lacking: readonly number[];
  /** What fills the view, in stacking order: a name, and tokens. */
  readonly fills: readonly { readonly name: string; readonly tokens: readonly number[] }[];
  readonly folds: readonly ReportFold[];
}

export interface ReportFold extends FoldTrace {
  readonly call: number;
  /** Until the next fold: how many items later calls lacked, the first of them, and calls that asked for a result again. */
  readonly lacked: number;
  readonly missing: readonly string[];
  readonly askedAgain: readonly string[];
}
