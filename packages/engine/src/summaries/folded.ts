import { hashValue } from '../content.ts';
import type { FoldInput, FoldOutput } from '../fold.ts';
import { summaryPrompt, transcriptOf } from './prompt.ts';
import { countRanges, joinRanges, type Range, withoutRanges } from './ranges.ts';
import type { Answer, Order, Summaries, SummaryFailure } from './summaries.ts';

/** The summary that a note carries, and the dropped messages that it does not speak of yet. */
export interface Summary {
  readonly text: string;
  readonly pending: readonly Range[];
}

export const NO_SUMMARY: Summary = { text: '', pending: [] };

/** What became of a summary that was asked for. */
export type SummaryEvent =
  | { readonly type: 'summary-end'; readonly text: string; readonly messages: number; readonly background: boolean }
  | { readonly type: 'summary-failed'; readonly reason: SummaryFailure; readonly message: string };

/** A summary is asked for at most once for this many dropped messages. */
const LEAST_MESSAGES = 10;
/** Most characters of a conversation that a summarizer is given where no budget bounds them. */
const MOST_CHARS = 400_000;

/** The original of a message by its place; undefined if it is nowhere any more. */
export type Original<M> = (index: number) => Promise<M | undefined>;

/** What a summary is to be like. */
export interface SummaryStyle {
  readonly sections: boolean;
  readonly max_tokens: number;
}

interface Job {
  readonly ranges: readonly Range[];
  readonly prompt: string;
  readonly answer: Promise<Answer>;
}

/** Summaries for the folds of one window: written when a fold needs one, or begun before and used if nothing has changed. */
export class FoldSummaries<M> {
  readonly #summaries: Summaries;
  readonly #style: SummaryStyle;
  readonly #emit: (event: SummaryEvent) => void;
  #job: Job | undefined;
  #begun = false;

  constructor(summaries: Summaries, style: SummaryStyle, emit: (event: SummaryEvent) => void) {
    this.#summaries = summaries;
    this.#style = style;
    this.#emit = emit;
  }

  /** The summary that goes with this fold: a new one, or the one before with more that it does not speak of. */
  async forFold(input: FoldInput<M>, output: FoldOutput<M>, original: Original<M>, signal?: unknown): Promise<Summary> {
    const pending = pendingAfter(input, output);
    const job = this.#job;
    this.#job = undefined;
    this.#begun = false;
    const early = job && (await this.#isCurrent(job, input, pending, original)) ? job : undefined;
    const ranges = early?.ranges ?? pending;
    const order = early ? undefined : await this.#order(input, pending, original, signal);
    const answer = early ? await early.answer : order && (await this.#summaries.ask(order));
    if (!answer) return { text: input.summary.text, pending };
    if ('failure' in answer) {
      this.#emit({ type: 'summary-failed', reason: answer.failure, message: answer.message });
      return { text: input.summary.text, pending };
    }
    this.#emit({
      type: 'summary-end',
      text: answer.text,
      messages: countRanges(ranges),
      background: early !== undefined,
    });
    return { text: answer.text, pending: withoutRanges(pending, ranges) };
  }

  /** Begins the summary of what a fold would drop by now, unless one was begun since the last fold. */
  async foresee(input: FoldInput<M>, plan: () => FoldOutput<M> | undefined, original: Original<M>): Promise<void> {
    if (this.#begun) return;
    this.#begun = true;
    const output = plan();
    if (!output) return;
    const ranges = pendingAfter(input, output);
    const order = await this.#order(input, ranges, original);
    if (order) this.#job = { ranges, prompt: hashValue(order.prompt), answer: this.#summaries.ask(order) };
  }

  async #isCurrent(job: Job, input: FoldInput<M>, pending: readonly Range[], original: Original<M>): Promise<boolean> {
    if (withoutRanges(job.ranges, pending).length > 0) return false;
    const order = await this.#order(input, job.ranges, original);
    return order !== undefined && hashValue(order.prompt) === job.prompt;
  }

  /** Undefined if there are too few messages for a summary, or no words in them. */
  async #order(
    { dialect, budget, summary, focus }: FoldInput<M>,
    ranges: readonly Range[],
    original: Original<M>,
    signal?: unknown,
  ): Promise<Order | undefined> {
    if (countRanges(ranges) < LEAST_MESSAGES) return undefined;
    const messages: M[] = [];
    let words = false;
    let chars = 0;
    const room = Math.min(MOST_CHARS, budget.max.tokens / budget.rates.character);
    for (const [from, to] of ranges.toReversed()) {
      for (let i = to; i >= from && chars < room; i--) {
        const message = await original(i);
        if (message === undefined) continue;
        messages.push(message);
        const reading = dialect.read(message);
        words ||= reading.words;
        chars += reading.chars;
      }
    }
    if (!words) return undefined;
    const transcript = transcriptOf(dialect, messages.reverse());
    const { sections, max_tokens } = this.#style;
    const prompt = summaryPrompt({
      transcript,
      sections,
      max_tokens,
      ...(summary.text === '' ? {} : { previous: summary.text }),
      ...(focus === undefined ? {} : { focus }),
    });
    const replaces = transcript.length + summary.text.length;
    return { prompt, replaces, max_tokens, ...(signal === undefined ? {} : { signal }) };
  }
}

function pendingAfter<M>({ summary }: FoldInput<M>, { seats }: FoldOutput<M>): readonly Range[] {
  const dropped = seats.flatMap(({ before, now }): Range[] =>
    now ? [] : [[before.from, before.from + before.messages.length - 1]],
  );
  return joinRanges([...summary.pending, ...dropped]);
}
