import { ChatAnthropic } from '@langchain/anthropic';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent, HumanMessage, tool } from 'langchain';
import { z } from 'zod';
import { holdfast } from '../src/langchain/index.ts';
import { testFramework } from './framework-conformance.ts';

const imageIn = (data?: string) =>
  data === undefined ? [] : [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }];

testFramework('langchain', {
  pictures: true,
  refusals: 1,
  named: true,
  memory: () => new MemorySaver(),
  open({ url, memory, readFile, picture, recall, retries, max_tokens, store, onEvent }) {
    const model = new ChatAnthropic({
      model: 'claude-opus-5-5',
      apiKey: 'none',
      anthropicApiUrl: url,
      maxRetries: retries,
      maxTokens: 2_000,
      thinking: { type: 'adaptive' },
    });
    const read_file = tool(({ path }) => [{ type: 'text', text: readFile(path) }, ...imageIn(picture)], {
      name: 'read_file',
      description: 'Reads a file.',
      schema: z.object({ path: z.string() }),
    });
    const middleware = [holdfast({ max_tokens, onEvent, recall, ...(store ? { store } : {}) })];
    const agent = createAgent({ model, tools: [read_file], checkpointer: memory, middleware });
    return {
      async ask(conversation, text, { image, stream = false, signal } = {}) {
        const messages = [new HumanMessage({ content: [...imageIn(image), { type: 'text', text }] })];
        const config = {
          configurable: { thread_id: conversation },
          recursionLimit: 1_000,
          durability: 'exit' as const,
          ...(signal ? { signal } : {}),
        };
        if (!stream) {
          const state = await agent.invoke({ messages }, config);
          return { text: state.messages.at(-1)?.text ?? '', parts: 1 };
        }
        const pieces: string[] = [];
        for await (const [piece] of await agent.stream({ messages }, { ...config, streamMode: 'messages' }))
          if (piece.type === 'ai' && piece.text !== '') pieces.push(piece.text);
        return { text: pieces.join(''), parts: pieces.length };
      },
    };
  },
  async remembered(memory, conversation) {
    const saved = await memory.getTuple({ configurable: { thread_id: conversation } });
    return JSON.stringify(saved?.checkpoint.channel_values);
  },
});
