import { Agent, ImageBlock, Message, NullConversationManager, TextBlock, tool } from '@strands-agents/sdk';
import { AnthropicModel } from '@strands-agents/sdk/models/anthropic';
import { z } from 'zod';
import { holdfast } from '../src/strands/index.ts';
import { testFramework } from './framework-conformance.ts';

const imageOf = (data: string) => new ImageBlock({ format: 'png', source: { bytes: Buffer.from(data, 'base64') } });

testFramework('@strands-agents/sdk', {
  pictures: true,
  refusals: 1,
  named: false,
  /** Messages as JSON, as a session manager keeps them. */
  memory: () => new Map<string, string>(),
  open({ url, memory, readFile, picture, recall, retries, max_tokens, store, onEvent }) {
    const bounded = holdfast({ max_tokens, onEvent, recall, ...(store ? { store } : {}) });
    const model = new AnthropicModel({
      apiKey: 'none',
      modelId: 'claude-opus-5-5',
      maxTokens: 2_000,
      params: { thinking: { type: 'adaptive' } },
      clientConfig: { baseURL: url, maxRetries: retries },
    });
    const read_file = tool({
      name: 'read_file',
      description: 'Reads a file.',
      inputSchema: z.object({ path: z.string() }),
      callback: ({ path }) => {
        const text = new TextBlock(readFile(path));
        return (picture ? [text, imageOf(picture)] : [text]) as never;
      },
    });
    return {
      async ask(conversation, text, { image, stream = false, signal } = {}) {
        const messages = JSON.parse(memory.get(conversation) ?? '[]').map(Message.fromJSON);
        const agent = new Agent({
          model,
          messages,
          tools: [read_file],
          plugins: [bounded],
          conversationManager: new NullConversationManager(),
          printer: false,
        });
        const input = [...(image ? [imageOf(image)] : []), new TextBlock(text)];
        signal?.addEventListener('abort', () => agent.cancel());
        const pieces: string[] = [];
        let answer = '';
        if (stream) {
          for await (const event of agent.stream(input))
            if (event.type === 'modelStreamUpdateEvent' && event.event.type === 'modelContentBlockDeltaEvent')
              if (event.event.delta.type === 'textDelta') pieces.push(event.event.delta.text);
          answer = pieces.join('');
        } else answer = (await agent.invoke(input)).toString();
        memory.set(conversation, JSON.stringify(agent.messages));
        return { text: answer, parts: Math.max(1, pieces.length) };
      },
    };
  },
  remembered: async (memory, conversation) => memory.get(conversation) ?? '',
});
