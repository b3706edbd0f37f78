import { sqlite } from '@holdfast/sessions';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { MockMemory } from '@mastra/core/memory';
import { MastraLanguageModelV2Mock } from '@mastra/core/test-utils/llm-mock';
import { createTool } from '@mastra/core/tools';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/mastra/index.ts';
import { fileAt } from './scripted.ts';

const read_file = createTool({
  id: 'read_file',
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => fileAt(path),
});

const look = createTool({
  id: 'read_file',
  description: 'Shows a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => fileAt(path),
  toModelOutput: (text) => ({
    type: 'content',
    value: [
      { type: 'text', text: String(text) },
      { type: 'media', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
    ],
  }),
});

test.each([
  ['texts', read_file],
  ['pictures', look],
])('bounds a model of an older AI SDK whose tools return %s, without memory', async (_, read) => {
  const files = 30;
  let n = 0;
  const sizes: number[] = [];
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async ({ prompt }) => {
      n++;
      const inputTokens = Math.ceil(JSON.stringify(prompt).length / 3.2);
      sizes.push(inputTokens);
      const call = {
        type: 'tool-call' as const,
        toolCallId: `call-${n}`,
        toolName: 'read_file',
        input: `{"path":"${n}.ts"}`,
      };
      return {
        content: n > files ? [{ type: 'text', text: 'Done.' }] : [call],
        finishReason: n > files ? 'stop' : 'tool-calls',
        usage: { inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 },
        warnings: [],
      };
    },
  });
  const events: HoldfastEvent[] = [];
  const processor = holdfast({ max_tokens: 12_000, onEvent: (event) => events.push(event) });
  const agent = new Agent({
    id: 'reader',
    name: 'reader',
    instructions: 'Read.',
    model: model as MastraModelConfig,
    tools: { read_file: read },
    inputProcessors: [processor],
  });
  const { text } = await agent.generate('Read all files.', { maxSteps: 100 });
  expect(text).toBe('Done.');
  expect(sizes.length).toBe(files + 1);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(12_000);
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
  expect(new Set(events.map(({ conversation }) => conversation)).size).toBe(1);
  expect(events.map(({ type }) => type)).toContain('fold-end');
});

test('thinking that the API refuses within a run costs one attempt', async () => {
  const prompts: string[] = [];
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async ({ prompt }) => {
      const sent = JSON.stringify(prompt);
      prompts.push(sent);
      if (sent.includes('reasoning')) {
        const responseBody = JSON.stringify({
          error: { message: 'messages.1: Invalid `signature` in `thinking` block' },
        });
        throw Object.assign(new Error('Bad Request'), { statusCode: 400, isRetryable: false, responseBody });
      }
      const call = { type: 'tool-call' as const, toolCallId: 'a', toolName: 'read_file', input: '{"path":"a.ts"}' };
      const thought = {
        type: 'reasoning' as const,
        text: 'Read a.ts.',
        providerMetadata: { anthropic: { signature: 's' } },
      };
      return {
        content: prompts.length === 1 ? [thought, call] : [{ type: 'text', text: 'Done.' }],
        finishReason: prompts.length === 1 ? 'tool-calls' : 'stop',
        usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
        warnings: [],
      };
    },
  });
  const events: string[] = [];
  const bounded = holdfast({ max_tokens: 12_000, onEvent: ({ type }) => events.push(type) });
  const agent = new Agent({
    id: 'reader',
    name: 'reader',
    instructions: 'Read.',
    model: model as MastraModelConfig,
    tools: { read_file },
    inputProcessors: [bounded],
    errorProcessors: [bounded],
  });
  const { text } = await agent.generate('Read a.ts.', { maxSteps: 10 });
  expect(text).toBe('Done.');
  expect(prompts.map((prompt) => prompt.includes('reasoning'))).toEqual([false, true, false]);
  expect(events).toEqual(['thinking-retry']);
});

test('a memory that loads only the last messages stays bounded, and so does the store', async () => {
  const [turns, files] = [10, 5];
  let n = 0;
  const model = new MastraLanguageModelV2Mock({
    doGenerate: async ({ prompt }) => {
      const inputTokens = Math.ceil(JSON.stringify(prompt).length / 3.2);
      const isEnd = ++n % (files + 1) === 0;
      const call = {
        type: 'tool-call' as const,
        toolCallId: `${n}`,
        toolName: 'read_file',
        input: `{"path":"${n}.ts"}`,
      };
      return {
        content: isEnd ? [{ type: 'text', text: `Done ${n}.` }] : [call],
        finishReason: isEnd ? 'stop' : 'tool-calls',
        usage: { inputTokens, outputTokens: 20, totalTokens: inputTokens + 20 },
        warnings: [],
      };
    },
  });
  const store = await sqlite(':memory:');
  const events: HoldfastEvent[] = [];
  const agent = new Agent({
    id: 'reader',
    name: 'reader',
    instructions: 'Read.',
    model: model as MastraModelConfig,
    tools: { read_file },
    memory: new MockMemory({ options: { lastMessages: 6 } }),
    inputProcessors: [holdfast({ max_tokens: 8_000, store, onEvent: (event) => events.push(event) })],
  });
  for (let turn = 1; turn <= turns; turn++)
    await agent.generate(`Read more, part ${turn}.`, { maxSteps: 20, memory: { thread: 'one', resource: 'user' } });
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
  // Each turn began with another list, which was folded.
  expect(new Set(events.map(({ conversation }) => conversation)).size).toBeGreaterThan(turns / 2);
  expect((await store.list()).length).toBeLessThanOrEqual(2);
  await store.close();
});
