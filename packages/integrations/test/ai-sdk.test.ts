import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, isStepCount, type ModelMessage, streamText, tool, wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { holdfast } from '../src/ai-sdk/index.ts';
import { testFramework } from './framework-conformance.ts';

testFramework('ai', {
  pictures: true,
  refusals: 1,
  named: true,
  memory: () => new Map<string, ModelMessage[]>(),
  open({ url, memory, readFile, picture, recall, retries, max_tokens, store, onEvent }) {
    const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' });
    const middleware = holdfast({ max_tokens, onEvent, ...(store ? { store } : {}) });
    const model = wrapLanguageModel({ model: anthropic('claude-opus-5-5'), middleware });
    const read_file = tool({
      description: 'Reads a file.',
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => readFile(path),
      toModelOutput: ({ output }) => {
        if (picture === undefined) return { type: 'text', value: output };
        const file = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: picture } };
        return { type: 'content', value: [{ type: 'text', text: output }, file] };
      },
    });
    return {
      async ask(conversation, text, { image, stream = false, signal } = {}) {
        const messages = memory.get(conversation) ?? [];
        memory.set(conversation, messages);
        const pictures = image ? [{ type: 'image' as const, image: Buffer.from(image, 'base64') }] : [];
        messages.push({ role: 'user', content: [...pictures, { type: 'text', text }] });
        const call = {
          model,
          messages,
          tools: { read_file, ...(recall ? { recall: middleware.recall } : {}) },
          stopWhen: isStepCount(200),
          maxRetries: retries,
          ...(signal ? { abortSignal: signal } : {}),
          providerOptions: { anthropic: { thinking: { type: 'adaptive' } }, holdfast: { conversation } },
        };
        if (!stream) {
          const { text: answer, responseMessages } = await generateText(call);
          messages.push(...responseMessages);
          return { text: answer, parts: 1 };
        }
        const result = streamText(call);
        const pieces: string[] = [];
        for await (const piece of result.textStream) pieces.push(piece);
        messages.push(...(await result.responseMessages));
        return { text: pieces.join(''), parts: pieces.length };
      },
    };
  },
  remembered: async (memory, conversation) => JSON.stringify(memory.get(conversation)),
});
