import type Anthropic from '@anthropic-ai/sdk';
import type { Summarizer } from 'holdfast';

/** Pass it to a window as `parts.summarizer`, and set `summarize_on_trim: true`. */
export function summarizerOn(client: Anthropic): Summarizer {
  return {
    async call(prompt, { model = 'claude-haiku-5-5', max_tokens = 1_024, signal } = { max_tokens: 1_024 }) {
      const messages = [{ role: 'user' as const, content: prompt }];
      const { content } = await client.messages.create({ model, max_tokens, messages }, signal ? { signal } : {});
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    },
  };
}
