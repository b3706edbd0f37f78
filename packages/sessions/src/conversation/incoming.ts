import type { SessionTokens } from '@holdfast/models';
import type { Dialect, FitMetrics, HoldfastError, Receipt } from 'holdfast';
import type { RecordedRequest } from '../requests/text-recorder.ts';
import type { GivenHistory } from './parts.ts';

/** A history that somebody else keeps, as one request brings it. */
export interface IncomingHistory<M> extends GivenHistory<M> {
  /** Who speaks to which API and model family: conversations of different owners are never mixed. */
  readonly owner: string;
  readonly dialect: Dialect<M>;
  /** The client's own name for the conversation, if it has one. It only decides between conversations that are alike. */
  readonly hint?: string;
  /** A reliable name, such as a framework's thread: only conversations with the same one are compared. */
  readonly key?: string;
  readonly bounds: NonNullable<GivenHistory<M>['bounds']>;
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
