import type { Dialect } from '../dialect.ts';
import { FoldSummaries, type SummaryEvent, type SummaryStyle } from './fold-summaries.ts';
import { Summaries, type Summarizer, summarizeAlone } from './summaries.ts';

/** How a model is asked for summaries. */
export interface SummaryModel {
  readonly summarizer: Summarizer;
  readonly model: string | undefined;
  readonly timeout: number;
}

/** Summaries by a model: for the folds of a window, or of any messages. */
export const summaries = {
  forFolds<M>(
    { summarizer, model, timeout }: SummaryModel,
    style: SummaryStyle,
    emit: (event: SummaryEvent) => void,
    warn: (message: string) => void,
  ): FoldSummaries<M> {
    return new FoldSummaries(new Summaries(summarizer, model, timeout), style, emit, warn);
  },

  /** Throws PROVIDER_FAILED. */
  of<M>(
    dialect: Dialect<M>,
    messages: readonly M[],
    { summarizer, model, timeout }: SummaryModel,
    max_tokens: number,
  ): Promise<string> {
    return summarizeAlone(dialect, messages, new Summaries(summarizer, model, timeout), max_tokens);
  },
};
