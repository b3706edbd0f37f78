import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { hashValue } from '../json/same-value.ts';
import { readAt } from '../turns/read-turns.ts';
import { cleanSummary, echoIn, summaryPrompt, transcriptOf } from './prompt.ts';

/** A model that writes summaries of at most `max_tokens`; `signal` aborts when the summary is no longer needed. */
export interface Summarizer {
  call(prompt: string, options?: SummarizerOptions): Promise<string>;
}

export interface SummarizerOptions {
  readonly max_tokens: number;
  readonly model?: string;
  /** Aborted when the caller gives up or after `summary_timeout_ms`; undefined if the runtime has no such signals. */
  readonly signal?: Signal;
}

/** An AbortSignal, by the types of the caller's runtime: the engine itself knows none. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : Abortable;

/** The used part of AbortSignal. */
export interface Abortable {
  readonly aborted?: boolean;
  throwIfAborted(): void;
  addEventListener?(type: 'abort', listener: () => void): void;
  removeEventListener?(type: 'abort', listener: () => void): void;
}

/** Why there is a digest instead of a summary. */
export type SummaryFailure = 'failed' | 'timeout' | 'empty' | 'grew' | 'echoed';

/** A request for a summary. */
export interface Order {
  readonly prompt: string;
  /** Characters of what the summary replaces. */
  readonly replaces: number;
  /** The summary to update. */
  readonly previous?: string;
  readonly max_tokens: number;
  readonly signal?: Abortable;
  /** Started before anybody waits for it. */
  readonly early?: boolean;
}

export type Answer =
  | { readonly text: string }
  | { readonly failure: SummaryFailure; readonly message: string; readonly cause?: unknown };

/** Remembered answers: enough for folds that are undone and made again. */
const REMEMBERED = 16;

/** Asks a summarizer, once for the same content, and checks its answers. Never throws. */
export class Summaries {
  readonly #summarizer: Summarizer;
  readonly #model: string | undefined;
  readonly #timeout: number;
  readonly #known = new Map<string, string>();

  constructor(summarizer: Summarizer, model: string | undefined, timeout: number) {
    this.#summarizer = summarizer;
    this.#model = model;
    this.#timeout = timeout;
  }

  async ask(order: Order): Promise<Answer> {
    const key = hashValue([order.prompt, this.#model ?? null]);
    const known = this.#known.get(key);
    if (known !== undefined) return { text: known };
    const answer = checkAnswer(order, await this.#call(order));
    if ('text' in answer) {
      for (const oldest of [...this.#known.keys()].slice(0, 1 + this.#known.size - REMEMBERED))
        this.#known.delete(oldest);
      this.#known.set(key, answer.text);
    }
    return answer;
  }

  /** Waits for a summary that was started early; it counts as late if the caller gives up first. */
  async await(answer: Promise<Answer>, signal: Abortable | undefined): Promise<Answer> {
    const patience = new Patience(this.#timeout, signal);
    const late = patience.over.then((): Answer => TIMEOUT);
    return Promise.race([answer, late]).finally(patience.end);
  }

  async #call({ prompt, max_tokens, signal, early }: Order): Promise<unknown> {
    const model = this.#model === undefined ? {} : { model: this.#model };
    const patience = new Patience(this.#timeout, signal, early);
    try {
      const own = patience.signal === undefined ? {} : { signal: patience.signal as Signal };
      const answer = this.#summarizer.call(prompt, { max_tokens, ...model, ...own });
      return await Promise.race([answer, patience.over]);
    } catch (error) {
      return { error };
    } finally {
      patience.end();
    }
  }
}

const LATE = Symbol('late');
const TIMEOUT: Answer = { failure: 'timeout', message: 'the summarizer did not answer in time' };

function checkAnswer({ replaces, previous = '' }: Order, answer: unknown): Answer {
  if (answer === LATE) return TIMEOUT;
  if (typeof answer !== 'string') {
    const cause = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : undefined;
    return { failure: 'failed', message: cause === undefined ? 'the answer is not text' : String(cause), cause };
  }
  const text = cleanSummary(answer);
  if (!/[\p{L}\p{N}]/u.test(text)) return { failure: 'empty', message: 'the answer is empty' };
  const echo = echoIn(text, previous);
  if (echo !== undefined) return { failure: 'echoed', message: echo };
  return text.length > replaces
    ? { failure: 'grew', message: `${text.length} characters for a conversation of ${replaces}` }
    : { text };
}

/** The longest delay of a timer. */
const LONGEST_MS = 2_147_483_647;

interface Runtime {
  readonly setTimeout?: (run: () => void, ms: number) => unknown;
  readonly clearTimeout?: (timer: unknown) => void;
  readonly AbortController?: new () => { readonly signal: unknown; abort(): void };
}

/** Waits until the time is over or the caller gives up, then aborts `signal`. */
class Patience {
  readonly over: Promise<typeof LATE>;
  /** Undefined if the runtime has no such signals. */
  readonly signal: unknown;
  /** Stops waiting without aborting. */
  end: () => void = () => {};

  constructor(ms: number, caller: Abortable | undefined, early = false) {
    const { setTimeout, clearTimeout, AbortController } = globalThis as Runtime;
    const controller = AbortController && new AbortController();
    this.signal = controller?.signal;
    this.over = new Promise((resolve) => {
      const giveUp = () => {
        resolve(LATE);
        controller?.abort();
      };
      const timer = setTimeout && Number.isFinite(ms) ? setTimeout(giveUp, Math.min(ms, LONGEST_MS)) : undefined;
      // A program that is done need not stay alive for this.
      if (early) (timer as { unref?(): void } | undefined)?.unref?.();
      caller?.addEventListener?.('abort', giveUp);
      if (caller?.aborted) giveUp();
      this.end = () => {
        if (timer !== undefined) clearTimeout?.(timer);
        caller?.removeEventListener?.('abort', giveUp);
      };
    });
  }
}

/** A summary of these messages; empty, without asking the model, if there are no words in them. Throws PROVIDER_FAILED. */
export async function summarizeAlone<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  summaries: Summaries,
  max_tokens: number,
): Promise<string> {
  if (!messages.some((message, i) => readAt(dialect, message, i).words)) return '';
  const transcript = transcriptOf(dialect, messages).join('\n');
  const prompt = summaryPrompt({ transcript, sections: false, max_tokens });
  const answer = await summaries.ask({ prompt, max_tokens, replaces: Number.POSITIVE_INFINITY });
  if ('text' in answer) return answer.text;
  const { message, failure: reason, cause } = answer;
  throw new HoldfastError('PROVIDER_FAILED', `no summary: ${message}`, { reason }, cause);
}
