import type { SessionTokens } from '@holdfast/models';
import type { Dialect, FitMetrics, HoldfastError, Receipt } from 'holdfast';
import type { RecordedRequest } from '../requests/text-recorder.ts';

/** A history that somebody else keeps, as one request brings it. */
export interface IncomingHistory<M> {
  /** Who speaks to which API and model family: conversations of different owners are never mixed. */
  readonly owner: string;
  readonly dialect: Dialect<M>;
  readonly model: string;
  readonly messages: readonly M[];
  /** The client's own name for the conversation, if it has one. It only decides between conversations that are alike. */
  readonly hint?: string;
  /** A reliable name, such as a framework's thread: only conversations with the same one are compared. */
  readonly key?: string;
  /** The sentence of a note that tells the model how to recall, with `{handle}` for an example; false if it cannot recall. */
  readonly recall?: string | false;
  /**
   * True if the sender cannot send the view again without thinking. Thinking in a history that is new here may belong to other
   * views, so it is left out, up to the user's last words.
   */
  readonly once?: boolean;
  readonly bounds: {
    /** Tokens of the prompt above which the view folds. */
    readonly max_tokens: number;
    /** Tokens that the model accepts. */
    readonly limit: number;
    /** Tokens of everything in the prompt but the messages. */
    readonly reserve: number;
    /** The same until an answer reports its usage, if that is more. */
    readonly first_reserve?: number;
  };
}

/** What to send instead of a history. */
export interface FittedHistory<M> {
  /** The conversation's random id, which its handles carry; undefined for a history without a model's answer. */
  readonly conversation?: string;
  /** Messages that no fold changed are the very objects of the request. */
  readonly messages: readonly M[];
  /** True if these are the messages of the request, all of them and unchanged: send the request as it came. */
  readonly isWhole: boolean;
  readonly metrics?: FitMetrics;
  readonly receipt?: Receipt;
  readonly reminder?: { readonly handles: readonly string[]; readonly tokens: number };
  /** Why this is not a proper view: the history is invalid or does not fit, or the store failed. */
  readonly problem?: HoldfastError;
  /** The same view without thinking, for an API that refused it; undefined if there is none. Later views lack it, too. */
  withoutThinking(): Promise<readonly M[] | undefined>;
  /** Records the request that sends this view, as it is sent. Never throws. */
  sent(request: RecordedRequest): Promise<void>;
  /** Learns from the API's usage object of the answer, and records what the request used. Never throws. */
  answered(usage: unknown, tokens: SessionTokens, cost?: number): Promise<void>;
}

/** Finds for each history the window that it belongs to. */
export interface Conversations<M> {
  /** Waits until its window is free. Never throws: a history that cannot be fitted is returned with a `problem`. */
  fit(history: IncomingHistory<M>): Promise<FittedHistory<M>>;
  /** Waits for calls in progress. The store stays open. */
  close(): Promise<void>;
}
