import { hashValue } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { cleanSummary, summaryPrompt, transcriptOf } from './prompt.ts';

/** A model that writes summaries. `max_tokens` bounds its answer; `signal` tells that nobody waits any more. */
export interface Summarizer {
  call(prompt: string, options?: SummarizerOptions): Promise<string>;
}

export interface SummarizerOptions {
  readonly max_tokens: number;
  readonly model?: string;
  readonly signal?: unknown;
}

/** Why the digest stands in for a summary. */
export type SummaryFailure = 'failed' | 'timeout' | 'empty' | 'grew';

/** A summary that is wanted: of which messages, by which prompt, in place of how many characters. */
export interface Order {
  readonly prompt: string;
  readonly replaces: number;
  readonly max_tokens: number;
  readonly signal?: unknown;
}

/** A summary, or why there is none. */
export type Answer =
  | { readonly text: string }
  | { readonly failure: SummaryFailure; readonly message: string; readonly cause?: unknown };

/** Answers that are remembered: enough for what is undone and folded again. */
const REMEMBERED = 16;

/** Asks a summarizer, once for the same content, and judges what it answers. Never throws. */
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
    const answer = judged(order, await this.#call(order));
    if ('text' in answer) {
      for (const oldest of [...this.#known.keys()].slice(0, 1 + this.#known.size - REMEMBERED))
        this.#known.delete(oldest);
      this.#known.set(key, answer.text);
    }
    return answer;
  }

  async #call({ prompt, max_tokens, signal }: Order): Promise<unknown> {
    const model = this.#model === undefined ? {} : { model: this.#model };
    const options = { max_tokens, ...model, ...(signal === undefined ? {} : { signal }) };
    try {
      return await inTime(this.#summarizer.call(prompt, options), this.#timeout);
    } catch (error) {
      return { error };
    }
  }
}

const LATE = Symbol('late');

function judged({ replaces }: Order, answer: unknown): Answer {
  if (answer === LATE) return { failure: 'timeout', message: 'the summarizer did not answer in time' };
  if (typeof answer !== 'string') {
    const cause = typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : undefined;
    return { failure: 'failed', message: cause === undefined ? 'the answer is no text' : String(cause), cause };
  }
  const text = cleanSummary(answer);
  if (!/[\p{L}\p{N}]/u.test(text)) return { failure: 'empty', message: 'the answer is empty' };
  return text.length > replaces
    ? { failure: 'grew', message: `${text.length} characters for a conversation of ${replaces}` }
    : { text };
}

/** The promise's value, or LATE; where the runtime has no timers it waits. */
async function inTime(promise: Promise<unknown>, ms: number): Promise<unknown> {
  const { setTimeout, clearTimeout } = globalThis as {
    setTimeout?: (run: () => void, ms: number) => unknown;
    clearTimeout?: (timer: unknown) => void;
  };
  if (!setTimeout || !Number.isFinite(ms)) return promise;
  let timer: unknown;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(LATE), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout?.(timer));
}

/** A summary of these messages; empty, and nobody is asked, if there are no words in them. Throws PROVIDER_FAILED. */
export async function summarizeAlone<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  summaries: Summaries,
  max_tokens: number,
): Promise<string> {
  if (!messages.some((message) => dialect.read(message).words)) return '';
  const transcript = transcriptOf(dialect, messages);
  const prompt = summaryPrompt({ transcript, sections: false, max_tokens });
  const answer = await summaries.ask({ prompt, max_tokens, replaces: transcript.length });
  if ('text' in answer) return answer.text;
  const { message, failure: reason, cause } = answer;
  throw new HoldfastError('PROVIDER_FAILED', `no summary: ${message}`, { reason }, cause);
}
