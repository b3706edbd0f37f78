import { createAnthropic } from '@ai-sdk/anthropic';
import { createStandIn } from '@holdfast/stand-in';
import { ChatAnthropic } from '@langchain/anthropic';
import { Agent } from '@mastra/core/agent';
import type { MastraModelConfig } from '@mastra/core/llm';
import { createTool } from '@mastra/core/tools';
import { tool as aiTool, generateText, wrapLanguageModel } from 'ai';
import { createAgent, tool as langchainTool } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { holdfast as aiSdk } from '../src/ai-sdk/index.ts';
import { holdfast as langchain } from '../src/langchain/index.ts';
import { holdfast as mastra } from '../src/mastra/index.ts';
import { fileAt, promptTokens } from './scripted.ts';

const MODEL = 'claude-opus-5-5';
const options = { max_tokens: 12_000 };

/** Thirty tools, of about 8,000 tokens in all, half of them in their schemas. */
const names = Array.from({ length: 30 }, (_, i) => `tool_${i}`);
const description = 'Says at length what it does. '.repeat(11);
const schema = z.object({ path: z.string().describe('Says at length what it takes. '.repeat(10)) });
const execute = async () => 'Nothing.';

type Said = { role: 'user'; content: string } | { role: 'assistant'; content: string };

/** A conversation from before Holdfast. */
const saidBefore = (length: number): Said[] =>
  Array.from({ length }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: fileAt(`${i}.ts`) }));

const frameworks: Record<string, (url: string, messages: Said[]) => Promise<unknown>> = {
  'AI SDK'(url, messages) {
    const model = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })(MODEL);
    const tools = names.map((name) => [name, aiTool({ description, inputSchema: schema, execute })] as const);
    const bounded = wrapLanguageModel({ model, middleware: aiSdk(options) });
    return generateText({ model: bounded, tools: Object.fromEntries(tools), messages });
  },
  LangChain(url, messages) {
    const model = new ChatAnthropic({ model: MODEL, apiKey: 'none', anthropicApiUrl: url, maxTokens: 2_000 });
    const tools = names.map((name) => langchainTool(execute, { name, description, schema }));
    return createAgent({ model, tools, middleware: [langchain(options)] }).invoke({ messages });
  },
  Mastra(url, messages) {
    const model = createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' })(MODEL) as MastraModelConfig;
    const tools = names.map((id) => [id, createTool({ id, description, inputSchema: schema, execute })] as const);
    const inputProcessors = [mastra(options)];
    const parts = {
      id: 'a',
      name: 'a',
      instructions: 'Help.',
      model,
      tools: Object.fromEntries(tools),
      inputProcessors,
    };
    return new Agent(parts).generate(messages);
  },
};

test.each(Object.entries(frameworks))('%s: tools count before the first answer', async (_, ask) => {
  const standIn = await createStandIn({ script: () => ({ text: 'Done.' }) });
  for (const length of [3, 5, 7, 9]) await ask(standIn.url, saidBefore(length));
  const sizes = standIn.requests.map(promptTokens);
  await standIn.close();
  expect(sizes.length).toBe(4);
  expect(sizes[0]).toBeGreaterThan(8_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(options.max_tokens);
});
