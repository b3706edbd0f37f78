import { generateText, type LanguageModel } from 'ai';
import { type Summarizer, summarizeMessages } from 'holdfast';

/** Any model of the AI SDK as a summarizer. */
function summarizerFrom(model: LanguageModel): Summarizer {
  return {
    async call(prompt, { max_tokens = 2_000, signal } = { max_tokens: 2_000 }) {
      const limits = { maxOutputTokens: max_tokens, ...(signal ? { abortSignal: signal } : {}) };
      return (await generateText({ model, prompt, ...limits })).text;
    },
  };
}

/** The messages to send: unchanged up to 80,000 tokens, with a digest above, with the model's summary above 120,000. */
export function shortened<M>(messages: readonly M[], systemPrompt: string, model: LanguageModel): Promise<M[]> {
  return summarizeMessages(messages, systemPrompt, summarizerFrom(model));
}
