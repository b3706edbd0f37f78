import { hashValue } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import type { FoldOutput } from '../fold/assemble.ts';
import type { FoldInput } from '../fold/fold-turn.ts';
import { countRanges, joinRanges, type Range, withoutRanges } from '../note/ranges.ts';
import { RESULT_CHARS, summaryPrompt, transcriptOf } from './prompt.ts';
import type { Abortable, Answer, Order, Summaries, SummaryFailure } from './summaries.ts';

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

/** A summary is asked for at most once for this many dropped messages, unless a strategy wants it sooner. */
const LEAST_MESSAGES = 10;
/** Most characters, and messages, that a summarizer is given at once where no budget bounds them; older ones wait. */
const MOST_CHARS = 400_000;
const MOST_MESSAGES = 4_000;

/** The original of a message by its place; undefined if it is nowhere any more. */
export type Original<M> = (index: number) => Promise<M | undefined>;

/** What a summary is to be like. */
export interface SummaryStyle {
  readonly sections: boolean;
  readonly max_tokens: number;
  readonly least_messages?: number;
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
  async forFold(
    input: FoldInput<M>,
    output: FoldOutput<M>,
    original: Original<M>,
    signal?: Abortable,
  ): Promise<Summary> {
    const pending = pendingAfter(input, output);
    const job = this.#job;
    this.#job = undefined;
    this.#begun = false;
    const early = job && (await this.#isCurrent(job, input, pending, original)) ? job : undefined;
    const order = early ? undefined : await this.#order(input, pending, original, signal);
    const ranges = early?.ranges ?? order?.ranges ?? [];
    const answer = early
      ? await this.#summaries.await(early.answer, signal)
      : order && (await this.#summaries.ask(order));
    if (early && signal?.aborted) {
      // The fold that needs it comes again: what was paid for is not thrown away.
      this.#job = early;
      this.#begun = true;
      return input.summary;
    }
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

  /**
   * Begins the summary of what a fold would drop by now, or else once so many more messages have come, unless one was begun
   * since the last fold.
   */
  async foresee(
    coming: readonly number[],
    plan: (coming: number) => { readonly input: FoldInput<M>; readonly output: FoldOutput<M> } | undefined,
    original: Original<M>,
  ): Promise<void> {
    for (const count of coming) {
      const planned = this.#begun ? undefined : plan(count);
      const order =
        planned && (await this.#order(planned.input, pendingAfter(planned.input, planned.output), original));
      if (!order) continue;
      this.#begun = true;
      const answer = this.#summaries.ask({ ...order, early: true });
      this.#job = { ranges: order.ranges, prompt: hashValue(order.prompt), answer };
    }
  }

  /** Forgets what was begun. */
  reset(): void {
    this.#job = undefined;
    this.#begun = false;
  }

  async #isCurrent(job: Job, input: FoldInput<M>, pending: readonly Range[], original: Original<M>): Promise<boolean> {
    if (withoutRanges(job.ranges, pending).length > 0) return false;
    const order = await this.#order(input, job.ranges, original);
    return order !== undefined && hashValue(order.prompt) === job.prompt;
  }

  /** Undefined if there are too few messages for a summary, or no words in them. */
  async #order(
    { dialect, budget, summary, focus, compacts }: FoldInput<M>,
    wanted: readonly Range[],
    original: Original<M>,
    signal?: Abortable,
  ): Promise<(Order & { readonly ranges: readonly Range[] }) | undefined> {
    const { least_messages = LEAST_MESSAGES } = this.#style;
    if (countRanges(wanted) < (compacts ? 1 : least_messages)) return undefined;
    const found: { readonly index: number; readonly message: M }[] = [];
    for (const [from, to] of wanted.toReversed()) {
      for (let index = to; index >= from && found.length < MOST_MESSAGES; index--) {
        const message = await original(index);
        if (message !== undefined) found.push({ index, message });
      }
    }
    if (!found.some(({ message }) => dialect.read(message).words)) return undefined;
    const room = Math.min(MOST_CHARS, budget.max.tokens / budget.rates.character);
    const { lines, from } = fittingLines(
      dialect,
      found.reverse().map(({ message }) => message),
      room,
    );
    const transcript = lines.join('\n');
    const { sections, max_tokens } = this.#style;
    const prompt = summaryPrompt({
      transcript,
      sections,
      max_tokens,
      ...(summary.text === '' ? {} : { previous: summary.text }),
      ...(focus === undefined ? {} : { focus }),
    });
    const first = found[from]?.index ?? 0;
    const ranges = withoutRanges(wanted, [[0, first - 1]]);
    const replaces = transcript.length + summary.text.length;
    return {
      prompt,
      ranges,
      replaces,
      previous: summary.text,
      max_tokens,
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

/** The messages as text, results shortened further until all fit, or else the newest that do. */
function fittingLines<M>(dialect: Dialect<M>, messages: readonly M[], room: number): { lines: string[]; from: number } {
  let lines: string[] = [];
  for (const chars of [RESULT_CHARS, 300, 60]) {
    lines = transcriptOf(dialect, messages, chars);
    if (lines.reduce((sum, line) => sum + line.length + 1, 0) <= room) return { lines, from: 0 };
  }
  let from = lines.length - 1;
  let chars = lines[from]?.length ?? 0;
  while (from > 0 && chars + (lines[from - 1]?.length ?? 0) < room) chars += 1 + (lines[--from]?.length ?? 0);
  return { lines: lines.slice(from), from };
}

/** The dropped messages that no summary speaks of once this fold is made. */
export function pendingAfter<M>({ summary }: FoldInput<M>, { turns }: FoldOutput<M>): readonly Range[] {
  const dropped = turns.flatMap(({ before, now }): Range[] =>
    now ? [] : [[before.from, before.from + before.messages.length - 1]],
  );
  return joinRanges([...summary.pending, ...dropped]);
}
