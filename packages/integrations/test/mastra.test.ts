import { createAnthropic } from '@ai-sdk/anthropic';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { holdfast } from '../src/mastra/index.ts';
import { testFramework } from './framework-conformance.ts';

testFramework('@mastra/core', {
  pictures: true,
  refusals: 0, // memory keeps no thinking
  named: true,
  memory: () => new MockMemory({ options: { lastMessages: 1_000 } }),
  open({ url, memory, readFile, picture, recall, retries, max_tokens, store, onEvent }) {
    const anthropic = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' });
    const read_file = createTool({
      id: 'read_file',
      description: 'Reads a file.',
      inputSchema: z.object({ path: z.string() }),
      execute: async ({ path }) => readFile(path),
      toModelOutput: (text) => {
        if (picture === undefined) return { type: 'text', value: text };
        const media = { type: 'media', mediaType: 'image/png', data: picture };
        return { type: 'content', value: [{ type: 'text', text }, media] };
      },
    });
    const agent = new Agent({
      id: 'reader',
      name: 'reader',
      instructions: 'You read files.',
      model: anthropic('claude-opus-5-5') as MastraModelConfig,
      tools: { read_file },
      memory,
      maxRetries: retries,
      inputProcessors: [holdfast({ max_tokens, onEvent, recall, ...(store ? { store } : {}) })],
    });
    return {
      async ask(conversation, text, { image, stream = false, signal } = {}) {
        const pictures = image ? [{ type: 'image' as const, image: `data:image/png;base64,${image}` }] : [];
        const messages = [{ role: 'user' as const, content: [...pictures, { type: 'text' as const, text }] }];
        const options = {
          maxSteps: 200,
          ...(signal ? { abortSignal: signal } : {}),
          memory: { thread: conversation, resource: 'user' },
          providerOptions: { anthropic: { thinking: { type: 'adaptive' as const } } },
        };
        if (!stream) {
          const { text: answer } = await agent.generate(messages, options);
          return { text: answer, parts: 1 };
        }
        const result = await agent.stream(messages, options);
        const pieces: string[] = [];
        for await (const piece of result.textStream) pieces.push(piece);
        return { text: pieces.join(''), parts: pieces.length };
      },
    };
  },
  async remembered(memory, conversation) {
    const { messages } = await memory.recall({ threadId: conversation, resourceId: 'user', perPage: false });
    return JSON.stringify(messages);
  },
});
