import type { Summarizer } from './summaries/summaries.ts';
import type { WindowParts } from './window/parts.ts';
import { ConversationWindow } from './window.ts';

/** Options of `summarizeMessages`. */
export interface SummarizeOptions<M> extends Pick<WindowParts<M>, 'dialect' | 'archive' | 'logger' | 'onEvent'> {
  readonly tier_thresholds?: readonly [number, number];
}

/** Summaries by model, so that unchanged content is not summarized twice. */
const summarizers = new WeakMap<Summarizer, Summarizer>();

/**
 * One call of `two-tier`, with tokens as characters / 4: messages as they are up to the first threshold, the newest with a
 * digest above it, the newest with a summary in six sections above the second if a model is given. Stateless.
 */
export async function summarizeMessages<M>(
  messages: readonly M[],
  systemPrompt: string,
  model?: Summarizer,
  { tier_thresholds, ...parts }: SummarizeOptions<M> = {},
): Promise<M[]> {
  const tiers = tier_thresholds ? { tier_thresholds } : {};
  const reserve = Math.ceil(systemPrompt.length / 4);
  const window = new ConversationWindow<M>(
    { strategy: 'two-tier', reserve, ...tiers },
    { ...parts, ...(model ? { summarizer: remembering(model) } : {}), tokens: (text) => Math.ceil(text.length / 4) },
  );
  return (await window.fit(messages)).messages;
}

/** Answers that are kept for each model. */
const KEPT = 32;

function remembering(model: Summarizer): Summarizer {
  const known = summarizers.get(model);
  if (known) return known;
  const answers = new Map<string, Promise<string>>();
  const made: Summarizer = {
    call(prompt, options) {
      const before = answers.get(prompt);
      if (before) return before;
      const answer = (async () => model.call(prompt, options))();
      answers.set(prompt, answer);
      answer.catch(() => answers.delete(prompt));
      for (const oldest of [...answers.keys()].slice(0, Math.max(0, answers.size - KEPT))) answers.delete(oldest);
      return answer;
    },
  };
  summarizers.set(model, made);
  return made;
}
