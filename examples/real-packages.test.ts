import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, tool as agentsTool, MemorySession } from '@openai/agents';
import { tool as aiTool, defaultSettingsMiddleware, wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { generateWithin } from './ai-sdk-prepare-step.ts';
import { anthropicLoop } from './anthropic-loop.ts';
import { boundedGraph } from './langgraph-node.ts';
import { type LocalApi, startLocalApi } from './local-api.ts';
import { agentWithin } from './openai-agents-session.ts';
import { openaiLoop } from './openai-loop.ts';
import { openaiResponsesLoop } from './openai-responses-loop.ts';

const TASK = 'Read every part of the application and say what it does. Never write to disk.';
const BUDGET = 40_000;
const CALLS = 48;
const SCHEMA = { type: 'object' as const, properties: { path: { type: 'string' } }, required: ['path'] };
const PATH = z.object({ path: z.string() });
const ABOUT = 'Reads a file.';

let api: LocalApi;
let read: string[];

afterEach(() => api.close());

describe('inside the real packages, against an API that refuses what the real one refuses', () => {
  test('@anthropic-ai/sdk: anthropic-loop.ts', async () => {
    await start();
    const client = new Anthropic({ baseURL: api.url, apiKey: 'none', maxRetries: 0 });
    const tools = [{ name: 'read_file', description: ABOUT, input_schema: SCHEMA }];
    const history = await anthropicLoop(client, TASK, tools, runTool);
    expect(history).toHaveLength(2 * api.taken.length);
    expectAllWell();
  });

  test('openai, Chat Completions: openai-loop.ts', async () => {
    await start();
    const lines: string[] = [];
    const tools = [
      { type: 'function' as const, function: { name: 'read_file', description: ABOUT, parameters: SCHEMA } },
    ];
    const history = await openaiLoop(openai(), TASK, tools, runTool, (line) => lines.push(line));
    expect(history).toHaveLength(1 + api.taken.length + CALLS);
    expectAllWell();
    expect(lines).toHaveLength(api.rewritten().length);
  });

  test('openai, Responses: openai-responses-loop.ts', async () => {
    await start();
    const tools = [
      { type: 'function' as const, name: 'read_file', description: ABOUT, parameters: SCHEMA, strict: false },
    ];
    const history = await openaiResponsesLoop(openai(), TASK, tools, runTool);
    expect(history).toHaveLength(1 + api.taken.length + 1 + 2 * CALLS);
    expectAllWell();
  });

  test('ai: ai-sdk-prepare-step.ts', async () => {
    await start();
    const provider = createAnthropic({ baseURL: `${api.url}/v1`, apiKey: 'none' });
    const settings = { providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } };
    const model = wrapLanguageModel({
      model: provider('claude-opus-5-5'),
      middleware: defaultSettingsMiddleware({ settings }),
    });
    const tool = aiTool({ description: ABOUT, inputSchema: PATH, execute: (input) => runTool('read_file', input) });
    const { steps } = await generateWithin(model, TASK, { read_file: tool });
    expect(steps).toHaveLength(api.taken.length);
    expectAllWell();
  });

  test('@openai/agents: openai-agents-session.ts', async () => {
    await start(4);
    const tool = agentsTool({
      name: 'read_file',
      description: ABOUT,
      parameters: PATH,
      execute: (input) => runTool('read_file', input),
    });
    const session = new MemorySession();
    const ask = agentWithin(openai(), new Agent({ name: 'reader', model: 'gpt-6-sol', tools: [tool] }), session);
    for (const task of [TASK, 'Read on.', 'And more.', 'The rest.']) expect(await ask(task)).toBe('Done.');
    expectAllWell();
    expect(await session.getItems()).toHaveLength(4 + api.taken.length + 4 + 2 * CALLS); // whole, and no note in it
  });

  test('@langchain/langgraph: langgraph-node.ts', async () => {
    await start();
    const chat = new ChatOpenAI({
      model: 'gpt-6-sol',
      apiKey: 'none',
      maxRetries: 0,
      configuration: { baseURL: `${api.url}/v1` },
    });
    const tool = langchainTool(({ path }) => runTool('read_file', { path }), {
      name: 'read_file',
      description: ABOUT,
      schema: PATH,
    });
    const { messages } = await boundedGraph(chat, [tool]).invoke(
      { messages: [{ role: 'user', content: TASK }] },
      { recursionLimit: 200 },
    );
    expect(messages).toHaveLength(1 + api.taken.length + CALLS);
    expectAllWell();
  });
});

test.each([
  'ai-sdk-prepare-step',
  'anthropic-loop',
  'langgraph-node',
  'openai-agents-items',
  'openai-agents-session',
  'openai-loop',
  'openai-responses-loop',
])('%s fits in 30 lines', (name) => {
  const text = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

/** A model that reads part after part, three in two responses, and has a last word for each task. */
async function start(tasks = 1): Promise<void> {
  read = [];
  const script: string[][] = [];
  for (let part = 1; part <= CALLS; part += 3) {
    script.push([`src/part-${part}.ts`], [`src/part-${part + 1}.ts`, `src/part-${part + 2}.ts`]);
    if ((part + 2) % (CALLS / tasks) === 0) script.push([]);
  }
  api = await startLocalApi(script, BUDGET);
}

function openai(): OpenAI {
  return new OpenAI({ baseURL: `${api.url}/v1`, apiKey: 'none', maxRetries: 0 });
}

async function runTool(name: string, input: unknown): Promise<string> {
  const { path } = PATH.parse(input);
  expect(name).toBe('read_file');
  read.push(path);
  return fileAt(path);
}

/** About 8,000 characters, other ones for each path. */
function fileAt(path: string): string {
  const lines = Array.from(
    { length: 120 },
    (_, i) => `export const value_${i} = compute('${path}', ${i * 37}); // step ${i}`,
  );
  return [`// ${path}`, ...lines, `// end of ${path}`].join('\n');
}

function expectAllWell(): void {
  expect(api.refused).toEqual([]);
  expect(read).toEqual(Array.from({ length: CALLS }, (_, i) => `src/part-${i + 1}.ts`));
  const folds = api.rewritten().map(({ tokens }) => tokens);
  expect(folds.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...folds)).toBeLessThan(BUDGET / 2); // nothing but a fold rewrites what was sent
  expect(Math.max(...api.taken.map(({ tokens }) => tokens))).toBeLessThanOrEqual(BUDGET);
  const last = JSON.stringify(api.taken.at(-1)?.messages) ?? '';
  expect(last.includes(TASK)).toBe(true);
  expect(/\bm\d+-m\d+\b/.test(last)).toBe(true);
  expect(/\bm\d+~\d/.exec(last)).toBeNull(); // handles are places in one history, which was never taken for another
  for (const part of [CALLS - 1, CALLS])
    expect(last.includes(JSON.stringify(fileAt(`src/part-${part}.ts`)).slice(1, -1)), `part ${part}`).toBe(true);
}
