import { readFileSync } from 'node:fs';
import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { type Answer, createStandIn, fixedAnswers, type StandIn } from '@holdfast/stand-in';
import type { ModelMessage } from 'ai';
import { ConversationWindow } from 'holdfast';
import OpenAI from 'openai';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { shortened } from './ai-sdk-summarizer.ts';
import { anthropicLoop } from './anthropic-loop.ts';
import { geminiLoop } from './gemini-loop.ts';
import { openaiLoop } from './openai-loop.ts';
import { openaiResponsesLoop } from './openai-responses-loop.ts';
import { summarizerOn } from './summarizer.ts';

const TASK = 'Read every part of the application and say what it does. Never write to disk.';
const BUDGET = 40_000;
const CALLS = 48;
const SCHEMA = { type: 'object' as const, properties: { path: { type: 'string' } }, required: ['path'] };
const PATH = z.object({ path: z.string() });
const ABOUT = 'Reads a file.';

let api: StandIn;
let read: string[];

afterEach(() => api.close());

describe('in the real packages, against an API that enforces the real rules', () => {
  test('@anthropic-ai/sdk: anthropic-loop.ts', async () => {
    await start();
    const client = new Anthropic({ baseURL: api.url, apiKey: 'none', maxRetries: 0 });
    const tools = [{ name: 'read_file', description: ABOUT, input_schema: SCHEMA }];
    const history = await anthropicLoop(client, TASK, tools, runTool);
    expect(history).toHaveLength(2 * api.requests.length);
    expectAllWell();
  });

  test('openai, Chat Completions: openai-loop.ts', async () => {
    await start();
    const lines: string[] = [];
    const tools = [
      { type: 'function' as const, function: { name: 'read_file', description: ABOUT, parameters: SCHEMA } },
    ];
    const history = await openaiLoop(openai(), TASK, tools, runTool, (line) => lines.push(line));
    expect(history).toHaveLength(1 + api.requests.length + CALLS);
    expectAllWell();
    expect(lines).toHaveLength(taken().filter(({ rewrites }) => rewrites).length);
  });

  test('openai, Responses: openai-responses-loop.ts', async () => {
    await start();
    const tools = [
      { type: 'function' as const, name: 'read_file', description: ABOUT, parameters: SCHEMA, strict: false },
    ];
    const history = await openaiResponsesLoop(openai(), TASK, tools, runTool);
    expect(history).toHaveLength(1 + api.requests.length + 1 + 2 * CALLS);
    expectAllWell();
  });

  test('@google/genai: gemini-loop.ts', async () => {
    await start();
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: api.url } });
    const tools = [{ name: 'read_file', description: ABOUT, parametersJsonSchema: SCHEMA }];
    const history = await geminiLoop(client, TASK, tools, runTool);
    expect(history).toHaveLength(2 * api.requests.length);
    expectAllWell();
  });

  test('@ai-sdk/anthropic without ai: a note reaches the API', async () => {
    await start();
    let sent = '';
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent = String(init?.body);
      return new Response('{}', { status: 400 });
    };
    const model = createAnthropic({ apiKey: 'none', fetch })('claude-opus-5-5');
    const window = new ConversationWindow<ModelMessage>(
      { max_messages: 10, preserve_last_n: 4 },
      { dialect: 'ai-sdk' },
    );
    const said = (role: 'user' | 'assistant', i: number): ModelMessage => ({
      role,
      content: [{ type: 'text', text: `${role} ${i}` }],
    });
    const history = Array.from({ length: 30 }, (_, i) => [said('user', i), said('assistant', i)]).flat();
    const { messages, receipt } = await window.fit([...history, said('user', 30)]);
    const prompt = messages as Parameters<typeof model.doGenerate>[0]['prompt'];
    await Promise.resolve(model.doGenerate({ prompt })).catch(() => {});
    expect(receipt?.note).toContain('[Note on');
    expect(sent).toContain(JSON.stringify(receipt?.note).slice(1, -1));
  });
});

test('@anthropic-ai/sdk writes the summaries: summarizer.ts', async () => {
  api = await createStandIn({ script: fixedAnswers({ text: 'Parts 1 to 30 were read.' }) });
  const client = new Anthropic({ baseURL: api.url, apiKey: 'none', maxRetries: 0 });
  const window = new ConversationWindow<Anthropic.MessageParam>(
    { max_messages: 20, summarize_on_trim: true },
    { summarizer: summarizerOn(client) },
  );
  const history = Array.from(
    { length: 41 },
    (_, i): Anthropic.MessageParam => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `Part ${i} says ${fileAt(`src/part-${i}.ts`)}`,
    }),
  );
  const { receipt } = await window.fit(history);
  expect(receipt?.note).toContain('[Conversation Summary]\n> Parts 1 to 30 were read.');
  expect(api.requests.map(({ verdict }) => verdict)).toEqual(['answered']);
});

test('a model of the AI SDK writes the summaries: ai-sdk-summarizer.ts', async () => {
  api = await createStandIn({ script: fixedAnswers({ text: 'Parts 1 to 30 were read.' }) });
  const model = createAnthropic({ baseURL: `${api.url}/v1`, apiKey: 'none' })('claude-haiku-4-5');
  const history = Array.from({ length: 41 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `Part ${i}: ${'what it says; '.repeat(1_000)}`,
  }));
  const view = await shortened(history, 'You are an agent.', model);
  expect(JSON.stringify(view)).toContain('[Conversation Summary]\\n> Parts 1 to 30 were read.');
  expect(view.slice(-8)).toEqual(history.slice(-8));
  expect(api.requests.map(({ verdict }) => verdict)).toEqual(['answered']);
});

test.each(['summarizer', 'ai-sdk-summarizer', 'anthropic-loop', 'gemini-loop', 'openai-loop', 'openai-responses-loop'])(
  '%s fits in 30 lines',
  (name) => {
    const text = readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  },
);

/** A model that reads one part after another, three per two responses, and then answers each task. */
async function start(tasks = 1): Promise<void> {
  read = [];
  const answers: Answer[] = [];
  const asking = (...parts: number[]): Answer => ({
    thinking: `Now ${parts.join(' and ')}.`,
    calls: parts.map((part) => ({ name: 'read_file', input: { path: `src/part-${part}.ts` } })),
  });
  for (let part = 1; part <= CALLS; part += 3) {
    answers.push(asking(part), asking(part + 1, part + 2));
    if ((part + 2) % (CALLS / tasks) === 0) answers.push({ thinking: 'That was all.', text: 'Done.' });
  }
  api = await createStandIn({ script: fixedAnswers(...answers), keep_bodies: 1_000 });
}

/** What the API received: the messages and tokens of each request, and how many tokens it shares with the previous one. */
function taken() {
  const sent = api.requests.map(({ body, usage }) => {
    const { messages, input, contents } = body as Record<string, readonly unknown[]>;
    const {
      input_tokens = 0,
      cache_creation_input_tokens = 0,
      cache_read_input_tokens = 0,
      prompt_tokens = 0,
      promptTokenCount = 0,
    } = usage as Record<string, number>;
    const tokens =
      promptTokenCount + prompt_tokens + input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
    return { messages: (messages ?? input ?? contents ?? []).map(unmarked), tokens };
  });
  return sent.map((one, at) => {
    const before = sent[at - 1]?.messages ?? [];
    return { ...one, rewrites: before.some((message, i) => message !== one.messages[i]) };
  });
}

/** Strips cache markers, because they move. */
function unmarked(message: unknown): string {
  return JSON.stringify(message, (key, value) => (key === 'cache_control' ? undefined : value));
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

/** About 8,000 characters, different for each path. */
function fileAt(path: string): string {
  const lines = Array.from(
    { length: 120 },
    (_, i) => `export const value_${i} = compute('${path}', ${i * 37}); // step ${i}`,
  );
  return [`// ${path}`, ...lines, `// end of ${path}`].join('\n');
}

function expectAllWell(): void {
  expect(api.requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
  const sent = taken();
  expect(read).toEqual(Array.from({ length: CALLS }, (_, i) => `src/part-${i + 1}.ts`));
  const folds = sent.filter(({ rewrites }) => rewrites).map(({ tokens }) => tokens);
  expect(folds.length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...folds)).toBeLessThan(BUDGET / 2); // only a fold rewrites what was sent
  expect(Math.max(...sent.map(({ tokens }) => tokens))).toBeLessThanOrEqual(BUDGET);
  const last = sent.at(-1)?.messages.join('\n') ?? '';
  expect(last.includes(TASK)).toBe(true);
  expect(/\bm\d+-m\d+\b/.test(last)).toBe(true);
  expect(/\bm\d+~\d/.exec(last)).toBeNull(); // no revision marks: the history was never taken for a rewritten one
  for (const part of [CALLS - 1, CALLS])
    expect(last.includes(JSON.stringify(fileAt(`src/part-${part}.ts`)).slice(1, -1)), `part ${part}`).toBe(true);
}
