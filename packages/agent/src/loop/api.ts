import type { CallResult } from '@holdfast/sessions';
import type { Dialect } from 'holdfast';

/** A tool call of an answer. `broken`: its arguments are not a JSON object or are nested too deeply; `beginning` is their first part. */
export interface ApiCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly broken?: boolean;
  readonly beginning?: string;
  /** Part of the arguments was replaced because no API accepts it. */
  readonly mended?: boolean;
}

/** A request: the view, and the positions in it that matter to a cache. */
export interface ApiRequest<M> {
  readonly messages: readonly M[];
  /** Index of the last message that the previous request also had. */
  readonly previous?: number;
  /** Index of the note. */
  readonly note?: number;
}

/** One answer of the model: everything that arrived complete. */
export interface ApiAnswer<M> {
  /** To be sent back unchanged; empty if nothing can be. */
  readonly messages: readonly M[];
  readonly text: string;
  readonly calls: readonly ApiCall[];
  /** The API's own usage object and the model's name, if they arrived. `request`: what `onRequest` returned. */
  readonly report?: { readonly usage: unknown; readonly model?: string; readonly request?: number };
  /** `broken`: the stream ended before the answer did, and these are the calls that were complete. */
  readonly stop: 'end' | 'calls' | 'length' | 'refusal' | 'pause' | 'broken';
}

/** The result of a call of this tool. */
export interface NamedResult extends CallResult {
  readonly name: string;
}

/** Everything the loop knows about one API, set up with model, tools and system prompt. */
export interface Api<M> {
  readonly dialect: Dialect<M>;
  prompt(text: string): M;
  /** The message without its thinking, or a placeholder. Default: by the dialect. Pure. */
  withoutThinking?(message: M): M;
  /** Warnings about options that no request can honour. */
  readonly doubts?: readonly string[];
  /** Rewrites a message of an earlier execution that this one cannot send as it is. Pure. */
  restored?(message: M): M;
  /** Messages that make a paused answer valid if it is never resumed. Pure. */
  closed?(answer: readonly M[]): readonly M[];
  /** The messages for all results of one answer, in order. */
  results(results: readonly NamedResult[]): readonly M[];
  /** Sends one request and streams its answer. Throws what the client throws, and BrokenStream if the stream broke before any call was complete. */
  send(outgoing: ApiRequest<M>, onText: (text: string) => void, signal: AbortSignal): Promise<ApiAnswer<M>>;
  /** Counts the tokens of a request with the API's counting endpoint. */
  count?(outgoing: ApiRequest<M>, signal: AbortSignal): Promise<number>;
  /** A short answer without tools, for summaries. */
  say(prompt: string, model: string, max_tokens: number, signal: AbortSignal): Promise<ShortAnswer>;
}

/** A short answer, and what it used. */
export type ShortAnswer = Pick<ApiAnswer<unknown>, 'text' | 'report'>;
