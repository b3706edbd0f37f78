import { Agent, type AgentInputItem, MemorySession, OpenAIProvider, Runner, tool, user } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { holdfast } from '../src/openai-agents/index.ts';
import { testFramework } from './framework-conformance.ts';

testFramework('@openai/agents', {
  pictures: true,
  refusals: 1,
  named: false,
  memory: () => new Map<string, MemorySession>(),
  open({ url, memory, readFile, picture, recall, retries, max_tokens, store, onEvent }) {
    const openAIClient = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: retries });
    const bounded = holdfast({ max_tokens, onEvent, ...(store ? { store } : {}) });
    const runner = new Runner({
      modelProvider: bounded.provider(new OpenAIProvider({ openAIClient })),
      modelSettings: { store: false, providerData: { include: ['reasoning.encrypted_content'] } },
      tracingDisabled: true,
    });
    const read_file = tool({
      name: 'read_file',
      description: 'Reads a file.',
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => {
        const text = readFile(path);
        if (picture === undefined) return text;
        return [
          { type: 'text', text },
          { type: 'image', image: `data:image/png;base64,${picture}` },
        ];
      },
    });
    const tools = [read_file, ...(recall ? [bounded.recall] : [])];
    const agent = new Agent({ name: 'reader', model: 'gpt-6-sol', tools });
    return {
      async ask(conversation, text, { image, stream = false, signal } = {}) {
        const session = memory.get(conversation) ?? new MemorySession();
        memory.set(conversation, session);
        const pictures = image ? [{ type: 'input_image' as const, image: `data:image/png;base64,${image}` }] : [];
        const input: AgentInputItem[] = [user([...pictures, { type: 'input_text', text }])];
        const options = {
          session,
          maxTurns: 200,
          ...(signal ? { signal } : {}),
          sessionInputCallback: (before: AgentInputItem[], now: AgentInputItem[]) => [...before, ...now],
        };
        if (!stream) {
          const { finalOutput = '' } = await runner.run(agent, input, options);
          return { text: finalOutput, parts: 1 };
        }
        const result = await runner.run(agent, input, { ...options, stream: true });
        const pieces: string[] = [];
        for await (const piece of result.toTextStream()) pieces.push(piece);
        await result.completed;
        return { text: pieces.join(''), parts: pieces.length };
      },
    };
  },
  remembered: async (memory, conversation) => JSON.stringify(await memory.get(conversation)?.getItems()),
});
