import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { createStandIn } from '@holdfast/stand-in';
import {
  Agent,
  DocumentBlock,
  FileStorage,
  ImageBlock,
  Message,
  NullConversationManager,
  ReasoningBlock,
  SessionManager,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  tool,
  VideoBlock,
} from '@strands-agents/sdk';
import { AnthropicModel } from '@strands-agents/sdk/models/anthropic';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/strands/index.ts';
import { fromWire, toWire } from '../src/strands/messages.ts';
import { fileAt, promptTokens, readTask, scriptedModel } from './scripted.ts';

const read_file = tool({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: z.object({ path: z.string() }),
  callback: ({ path }) => fileAt(path),
});

const bytes = new Uint8Array([1, 2, 3]);
const image = new ImageBlock({ format: 'png', source: { bytes } });
const pdf = new DocumentBlock({ name: 'report', format: 'pdf', source: { bytes } });
const inBucket = { type: 's3' as const, uri: 's3://bucket/one.png' };

test.each([
  ['words', 'user', new TextBlock('Hello.')],
  ['an image', 'user', image],
  ['an image on the web', 'user', new ImageBlock({ format: 'png', source: { url: 'https://example.com/a.png' } })],
  ['an image in a bucket', 'user', new ImageBlock({ format: 'png', source: { location: inBucket } })],
  ['a document', 'user', pdf],
  ['a document of words', 'user', new DocumentBlock({ name: 'notes', format: 'md', source: { text: '# Hello' } })],
  ['a film', 'user', new VideoBlock({ format: 'mp4', source: { bytes } })],
  ['a call', 'assistant', new ToolUseBlock({ name: 'read', toolUseId: 'a', input: { path: 'x' } })],
  ['reasoning', 'assistant', new ReasoningBlock({ text: 'Hm.', signature: 's' })],
  ['a result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [new TextBlock('text')] })],
  ['a failed result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'error', content: [new TextBlock('no')] })],
  [
    'an image as a result',
    'user',
    new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [image, new TextBlock('seen')] }),
  ],
  ['a document as a result', 'user', new ToolResultBlock({ toolUseId: 'a', status: 'success', content: [pdf] })],
] as const)('a copy of a message with %s says the same', (_, role, block) => {
  const message = new Message({ role, content: [block] });
  const { trackingId: _mine, ...before } = message.toJSON();
  // A store keeps JSON.
  const { trackingId: _other, ...after } = fromWire([JSON.parse(JSON.stringify(toWire(message)))]).toJSON();
  expect(after).toEqual(before);
});

test('bytes are base64 in the log, and a document has its title', () => {
  expect(toWire(new Message({ role: 'user', content: [image, pdf] })).content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
    { type: 'document', title: 'report', source: { type: 'base64', media_type: 'application/pdf', data: 'AQID' } },
  ]);
});

test.each(['chat', 'responses'] as const)('the cache of OpenAI (%s) is not counted twice', async (form) => {
  const api = await createStandIn({ script: scriptedModel });
  onTestFinished(() => api.close());
  const model = new OpenAIModel({
    api: form,
    modelId: 'gpt-6-sol',
    apiKey: 'none',
    clientConfig: { baseURL: `${api.url}/v1`, maxRetries: 0 },
  });
  const plugins = [holdfast({ max_tokens: 12_000, prefer: 'memory' })];
  const agent = new Agent({
    model,
    tools: [read_file],
    plugins,
    conversationManager: new NullConversationManager(),
    printer: false,
  });
  await agent.invoke(readTask('alpha-1', 18));
  const largest = Math.max(...api.requests.map(promptTokens));
  expect(largest).toBeGreaterThan(8_000);
  expect(largest).toBeLessThanOrEqual(12_000);
});

test('conversations are named by their sessions, which a later agent continues', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-strands-'));
  const api = await createStandIn({ script: scriptedModel });
  const store = await sqlite(':memory:');
  onTestFinished(async () => {
    await api.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const events: HoldfastEvent[] = [];
  const plugin = holdfast({ max_tokens: 12_000, store, onEvent: (event) => events.push(event) });
  const ask = async (sessionId: string, text: string) => {
    const agent = new Agent({
      model: new AnthropicModel({
        apiKey: 'none',
        modelId: 'claude-opus-5-5',
        maxTokens: 2_000,
        clientConfig: { baseURL: api.url, maxRetries: 0 },
      }),
      tools: [read_file],
      plugins: [plugin],
      sessionManager: new SessionManager({ sessionId, storage: { snapshot: new FileStorage(folder) } }),
      conversationManager: new NullConversationManager(),
      printer: false,
    });
    return (await agent.invoke(text)).toString();
  };
  await Promise.all(['one', 'two'].map((session) => ask(session, readTask('alpha-1', 18))));
  expect(await ask('one', readTask('alpha-2', 18))).toContain('all 18 files of alpha-2');
  expect(new Set(events.map((event) => `${event.type} ${event.conversation}`)).size).toBe(2);
  expect((await store.list()).map(({ messages }) => messages).toSorted()).toEqual([37, 75]);
  expect(Math.max(...api.requests.map(promptTokens))).toBeLessThanOrEqual(12_000);
});
