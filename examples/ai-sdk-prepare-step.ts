import { generateText, isStepCount, type LanguageModel, type ModelMessage, type ToolSet } from 'ai';
import { ConversationWindow } from 'holdfast';

export function generateWithin(model: LanguageModel, prompt: string, tools: ToolSet) {
  const window = new ConversationWindow<ModelMessage>({ max_tokens: 40_000 }, { dialect: 'ai-sdk' });
  return generateText({
    model,
    prompt,
    tools,
    stopWhen: isStepCount(200),
    prepareStep: async ({ initialMessages, responseMessages }) => {
      // Do not use `messages`: once a step has returned a view, they are that view plus what followed.
      const { messages } = await window.fit([...initialMessages, ...responseMessages]);
      return { messages };
    },
    onStepEnd: ({ usage }) => window.observe(usage),
  });
}
