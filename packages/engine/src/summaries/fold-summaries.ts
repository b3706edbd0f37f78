import type { Dialect } from '../dialect.ts';
import type { FoldOutput } from '../fold/assemble.ts';
import type { FoldInput } from '../fold/fold-turn.ts';
import { hashValue } from '../json/same-value.ts';
import { countRanges, joinRanges, type Range, withoutRanges } from '../note/ranges.ts';
import { maskSecrets } from '../secrets/secrets.ts';
import type { Summary } from '../state/state.ts';
import { RESULT_CHARS, summaryPrompt, transcriptOf } from './prompt.ts';
import type { Abortable, Answer, Order, Summaries, SummaryFailure } from './summaries.ts';

/** The outcome of a summary. */
export type SummaryEvent =
  | { readonly type: 'summary-end'; readonly text: string; readonly messages: number; readonly background: boolean }
  | { readonly type: 'summary-failed'; readonly reason: SummaryFailure; readonly message: string };

/** A summary needs at least this many dropped messages, unless a strategy wants it sooner. */
const LEAST_MESSAGES = 10;
/** Most characters and messages that a summarizer gets, where no budget limits them; older ones wait. */
const MOST_CHARS = 400_000;
const MOST_MESSAGES = 4_000;

/** After so many failures in a row, so many folds do not ask; `compact()` does. There is no clock here, so folds count. */
const MOST_FAILURES = 2;
const PAUSED_FOLDS = 5;

/** The original of a message by its index; undefined if it is gone. */
export type Original<M> = (index: number) => Promise<M | undefined>;

/** The form of a summary. */
export interface SummaryStyle {
  readonly sections: boolean;
  readonly max_tokens: number;
  readonly least_messages?: number;
}

/** A summary that was started before its fold. */
interface Started {
  readonly ranges: readonly Range[];
  readonly prompt: string;
  readonly answer: Promise<Answer>;
}

/** The summaries for the folds of one window: written when a fold needs one, or started earlier and used if nothing changed. */
export class FoldSummaries<M> {
  readonly #summaries: Summaries;
  readonly #style: SummaryStyle;
  readonly #emit: (event: SummaryEvent) => void;
  readonly #warn: (message: string) => void;
  #started: Started | undefined;

  constructor(
    summaries: Summaries,
    style: SummaryStyle,
    emit: (event: SummaryEvent) => void,
    warn: (message: string) => void,
  ) {
    this.#summaries = summaries;
    this.#style = style;
    this.#emit = emit;
    this.#warn = warn;
  }

  /** The summary for this fold: a new one, or the previous one with more messages pending. */
  async forFold(
    input: FoldInput<M>,
    output: FoldOutput<M>,
    original: Original<M>,
    signal?: Abortable,
  ): Promise<Summary> {
    const pending = this.pendingAfter(input, output);
    const { failed = 0, paused = 0 } = input.summary;
    if (paused > 0 && !input.compacts) return { ...input.summary, pending, paused: paused - 1 };
    const started = this.#started;
    this.#started = undefined;
    const early = started && (await this.#isCurrent(started, input, pending, original)) ? started : undefined;
    const order = early ? undefined : await this.#order(input, pending, original, signal);
    const unchanged = { ...input.summary, pending };
    if (!early && !order) return unchanged;
    const answer = await (early ? this.#summaries.await(early.answer, signal) : this.#summaries.ask(order as Order));
    if (early && signal?.aborted) {
      // The fold that needs it comes again: keep what was paid for.
      this.#started = early;
      return input.summary;
    }
    if ('failure' in answer) {
      this.#emit({ type: 'summary-failed', reason: answer.failure, message: answer.message });
      return { ...unchanged, ...this.#failure(failed + 1, answer.message) };
    }
    const { text } = answer;
    const ranges = (early ?? order)?.ranges ?? [];
    this.#emit({ type: 'summary-end', text, messages: countRanges(ranges), background: early !== undefined });
    return { text, pending: withoutRanges(pending, ranges) };
  }

  /**
   * Starts the summary of what a fold would drop now, or after so many more messages, unless one was started since the last
   * fold.
   */
  async foresee(
    coming: readonly number[],
    plan: (coming: number) => { readonly input: FoldInput<M>; readonly output: FoldOutput<M> } | undefined,
    original: Original<M>,
  ): Promise<void> {
    for (const count of coming) {
      const { input, output } = (this.#started ? undefined : plan(count)) ?? {};
      if (input?.summary.paused) return;
      const order = input && output && (await this.#order(input, this.pendingAfter(input, output), original));
      if (!order) continue;
      const answer = this.#summaries.ask({ ...order, early: true });
      this.#started = { ranges: order.ranges, prompt: hashValue(order.prompt), answer };
    }
  }

  /** What to remember of so many failures in a row. Warns once for each series. */
  #failure(failed: number, message: string): Pick<Summary, 'failed' | 'paused'> {
    if (failed === MOST_FAILURES)
      this.#warn(
        `no summary, ${failed} times in a row: ${maskSecrets(message)}. The next ${PAUSED_FOLDS} folds do without, then one tries again`,
      );
    return failed < MOST_FAILURES ? { failed } : { failed, paused: PAUSED_FOLDS };
  }

  /** The dropped messages that no summary covers after this fold. */
  pendingAfter({ summary }: FoldInput<M>, { turns }: FoldOutput<M>): readonly Range[] {
    const dropped = turns.flatMap(({ before, now }): Range[] =>
      now ? [] : [[before.from, before.from + before.messages.length - 1]],
    );
    return joinRanges([...summary.pending, ...dropped]);
  }

  /** Forgets what was started. */
  reset(): void {
    this.#started = undefined;
  }

  async #isCurrent(
    started: Started,
    input: FoldInput<M>,
    pending: readonly Range[],
    original: Original<M>,
  ): Promise<boolean> {
    if (withoutRanges(started.ranges, pending).length > 0) return false;
    const order = await this.#order(input, started.ranges, original);
    return order !== undefined && hashValue(order.prompt) === started.prompt;
  }

  /** Undefined if there are too few messages for a summary, or no words in them. */
  async #order(
    { dialect, budget, summary: { text: previous }, focus = '', compacts }: FoldInput<M>,
    wanted: readonly Range[],
    original: Original<M>,
    signal?: Abortable,
  ): Promise<(Order & { readonly ranges: readonly Range[] }) | undefined> {
    const { least_messages = LEAST_MESSAGES, sections, max_tokens } = this.#style;
    if (countRanges(wanted) < (compacts ? 1 : least_messages)) return undefined;
    const found: { readonly index: number; readonly message: M }[] = [];
    for (const [from, to] of wanted.toReversed()) {
      for (let index = to; index >= from && found.length < MOST_MESSAGES; index--) {
        const message = await original(index);
        if (message !== undefined) found.push({ index, message });
      }
    }
    const messages = found.reverse().map(({ message }) => message);
    if (!messages.some((message) => dialect.read(message).words)) return undefined;
    const room = Math.min(MOST_CHARS, budget.max.tokens / budget.rates.character);
    const { lines, from } = fittingLines(dialect, messages, room);
    const transcript = lines.join('\n');
    return {
      prompt: summaryPrompt({ transcript, sections, max_tokens, previous, focus }),
      ranges: withoutRanges(wanted, [[0, (found[from]?.index ?? 0) - 1]]),
      replaces: transcript.length + previous.length,
      previous,
      max_tokens,
      ...(signal === undefined ? {} : { signal }),
    };
  }
}

/** The messages as text, with results shortened until all fit, or else the newest that do. */
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
