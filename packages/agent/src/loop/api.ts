import type { Dialect } from 'holdfast';

/** A tool call of an answer. `broken`: its arguments are no JSON object or have too many levels, and `said` is how they begin. */
export interface ApiCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly broken?: boolean;
  readonly said?: string;
  /** Something in the arguments was replaced that no API takes back. */
  readonly mended?: boolean;
}

/** What a tool gave. */
export interface CallResult {
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
}

/** What is sent: the view, and the places in it that a cache wants to know. */
export interface ApiRequest<M> {
  readonly messages: readonly M[];
  /** The last message that the request before had, too. */
  readonly previous?: number;
  readonly note?: number;
}

/** One answer of the model, with all that arrived whole. */
export interface ApiAnswer<M> {
  /** To be sent back as they are; none if nothing arrived that can be. */
  readonly messages: readonly M[];
  readonly text: string;
  readonly calls: readonly ApiCall[];
  /** The API's own usage object and the model's name, as far as they arrived. */
  readonly report?: { readonly usage: unknown; readonly model?: string };
  /** `broken`: the stream ended before the answer did, and these are the calls that were complete. */
  readonly stop: 'end' | 'calls' | 'length' | 'refusal' | 'pause' | 'broken';
}

/** All that the loop knows of one API, with model, tools and system prompt in it. */
export interface Api<M> {
  readonly dialect: Dialect<M>;
  prompt(text: string): M;
  /** The message without thinking, as something in the same place. Default: as the dialect does it, or words. Pure. */
  withoutThinking?(message: M): M;
  /** Matches the code or the words with which it rejects thinking in the conversation; without it the request may be accepted. */
  readonly thinkingRefusal?: RegExp;
  /** What the options ask for and no request will have, in words. */
  readonly doubts?: readonly string[];
  /** A message of an earlier execution as this one may send it, where not all can be sent as they are. Pure. */
  restored?(message: M): M;
  /** What is said behind a paused answer that nothing will go on with, where it could not stand otherwise. Pure. */
  closed?(answer: readonly M[]): readonly M[];
  /** All results for the calls of one answer, in their order. */
  results(results: readonly CallResult[]): readonly M[];
  /** One request, streamed. Throws what the client throws, and BrokenStream if no call was complete when the stream broke. */
  send(outgoing: ApiRequest<M>, onText: (text: string) => void, signal: AbortSignal): Promise<ApiAnswer<M>>;
  /** Tokens of the prompt, by the counting endpoint. */
  count?(outgoing: ApiRequest<M>, signal: AbortSignal): Promise<number>;
  /** A short answer without tools, for summaries. */
  say(prompt: string, model: string, max_tokens: number, signal: AbortSignal): Promise<ShortAnswer>;
}

/** A short answer, and the API's own usage object for it. */
export interface ShortAnswer {
  readonly text: string;
  readonly usage: unknown;
}
