import { sqlite } from '@holdfast/sessions';
import { createStandIn } from '@holdfast/stand-in';
import { ChatAnthropic } from '@langchain/anthropic';
import { fakeModel } from '@langchain/core/testing';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { type AiSdkMessage, validateAiSdk } from 'holdfast/rules';
import { AIMessage, type BaseMessage, createAgent, HumanMessage, ToolMessage, tool, toolStrategy } from 'langchain';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/langchain/index.ts';
import { fromWire, toWire } from '../src/langchain/messages.ts';
import { fileAt, promptTokens, readTask, scriptedModel, sentMessages } from './scripted.ts';

const chatModel = (url: string, model = 'claude-opus-5-5') =>
  new ChatAnthropic({
    model,
    apiKey: 'none',
    anthropicApiUrl: url,
    maxRetries: 0,
    maxTokens: 2_000,
  });
const read_file = tool(({ path }) => fileAt(path), { name: 'read_file', schema: z.object({ path: z.string() }) });

test('messages that no fold touched reach the model as the same objects', async () => {
  const files = 40;
  const model = fakeModel();
  for (let n = 1; n <= files; n++)
    model.respond((messages: BaseMessage[]) => {
      const input_tokens = Math.ceil(JSON.stringify(messages).length / 3.2);
      const answer = new AIMessage({
        content: [
          { type: 'thinking', thinking: `Next is ${n}.`, signature: `signature-${n}` },
          { type: 'text', text: `File ${n}.` },
        ],
        tool_calls: [{ type: 'tool_call', id: `call-${n}`, name: 'read_file', args: { path: `${n}.ts` } }],
      });
      return Object.assign(answer, {
        usage_metadata: { input_tokens, output_tokens: 20, total_tokens: input_tokens + 20 },
      });
    });
  model.respond(new AIMessage('Done.'));
  const events: HoldfastEvent[] = [];
  const middleware = [holdfast({ max_tokens: 12_000, onEvent: (event) => events.push(event) })];
  const agent = createAgent({ model, tools: [read_file], middleware });
  const { messages } = await agent.invoke({ messages: 'Read all files.' }, { recursionLimit: 200 });
  expect(messages.length).toBe(2 * files + 2);
  expect(events.map(({ type }) => type)).toContain('fold-end');
  const state = new Set<BaseMessage>(messages);
  for (const { messages: sent } of model.calls.slice(1)) {
    const made = sent.filter((message) => !state.has(message));
    // Thinking before a changed place is removed; everything else that is new is a note or shorter than its original.
    for (const message of made)
      if (ToolMessage.isInstance(message)) expect(message.text.length).toBeLessThan(fileAt('1.ts').length);
    expect(sent.at(-1)).toBe(messages[messages.indexOf(sent.at(-1) as BaseMessage)]);
    expect(sent.length - made.length).toBeGreaterThan(1);
  }
});

test.each<[string, BaseMessage]>([
  ['words', new HumanMessage('Hello.')],
  [
    'an image',
    new HumanMessage({ content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] }),
  ],
  [
    'calls',
    new AIMessage({
      content: 'Look.',
      tool_calls: [{ type: 'tool_call', id: 'a', name: 'read', args: { path: 'x' } }],
    }),
  ],
  ['a result', new ToolMessage({ tool_call_id: 'a', name: 'read', content: 'text' })],
  [
    'a picture as its result',
    new ToolMessage({
      tool_call_id: 'a',
      name: 'look',
      content: [
        { type: 'text', text: 'A red dot.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    }),
  ],
  ['a failed result', new ToolMessage({ tool_call_id: 'a', name: 'read', content: 'no', status: 'error' })],
])('a copy of a message with %s says the same', (_, message) => {
  const wire = toWire(message);
  const broken = validateAiSdk([wire as unknown as AiSdkMessage]).map(({ rule }) => rule);
  expect(broken.filter((rule) => rule.startsWith('bad-'))).toEqual([]);
  const copy = fromWire([wire]);
  expect(copy.type).toBe(message.type);
  expect(toWire(copy)).toEqual(wire);
});

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', url: 'x' }] };
const cited = { type: 'text', text: 'It is red.', citations: [{ type: 'web_search_result_location', url: 'x' }] };
test.each<[string, BaseMessage]>([
  ['no citations', new AIMessage({ content: [{ type: 'text', text: 'It is red.', citations: null }] })],
  ['a search by the provider', new AIMessage({ content: [search, found, cited] })],
  ['a file by its id', new HumanMessage({ content: [{ type: 'file', file: { file_id: 'file-1' } }] })],
  ['a block of a new kind as its result', new ToolMessage({ tool_call_id: 'a', content: [{ type: 'new', n: 1 }] })],
])('a copy of a message with %s has the same blocks', (_, message) => {
  // A store keeps JSON.
  const wire = JSON.parse(JSON.stringify(toWire(message)));
  const broken = validateAiSdk([wire]).map(({ rule }) => rule);
  expect(broken.filter((rule) => rule.startsWith('bad-'))).toEqual([]);
  expect(fromWire([wire]).content).toEqual(message.content);
});

const PNG = { media_type: 'image/png', data: 'iVBORw0KGgo=' };
const PDF = { media_type: 'application/pdf', data: 'JVBERi0xLjQK' };
const TITLE = { title: 'A report', citations: { enabled: true } };
const LINK = 'https://example.com/report.pdf';
test.each<[string, { readonly type: string; readonly [field: string]: unknown }]>([
  ['an image', { type: 'image', source: { type: 'base64', ...PNG } }],
  ['a linked image', { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
  ['a document of Anthropic', { type: 'document', source: { type: 'base64', ...PDF }, ...TITLE }],
  ['a linked document of Anthropic', { type: 'document', source: { type: 'url', url: LINK }, ...TITLE }],
  [
    'a document of words',
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Two words.' }, ...TITLE },
  ],
  ['a file', { type: 'file', source_type: 'base64', mime_type: PDF.media_type, data: PDF.data, metadata: TITLE }],
  ['a linked file', { type: 'file', source_type: 'url', mime_type: PDF.media_type, url: LINK, metadata: TITLE }],
  [
    'a file of words',
    { type: 'file', source_type: 'text', mime_type: 'text/plain', text: 'Two words.', metadata: TITLE },
  ],
])('the API gets the same from a copy of a message with %s', async (_, block) => {
  const api = await createStandIn({ script: () => ({ text: 'Thank you.' }), keep_bodies: 10 });
  onTestFinished(() => api.close());
  const model = chatModel(api.url);
  const message = new HumanMessage({ content: [block, { type: 'text', text: 'Look.' }] });
  const wire = JSON.parse(JSON.stringify(toWire(message)));
  expect(validateAiSdk([wire])).toEqual([]);
  for (const sent of [message, fromWire([wire])]) await model.invoke([sent]);
  const [first, second] = api.requests.map(sentMessages);
  expect(first?.[0]).not.toContain('"content":[{"type":"text","text":"Look."}]');
  expect(second).toEqual(first);
});

test('an image keeps its detail in a copy', () => {
  const content = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }];
  expect(fromWire([toWire(new HumanMessage({ content }))]).content).toEqual(content);
});

test('blocks that only the provider knows are not quoted as words of the assistant', () => {
  const { content } = toWire(new AIMessage({ content: [search, found, cited] }));
  const words = (content as { readonly type: string; readonly text?: string }[]).filter(({ type }) => type === 'text');
  expect(words.map(({ text }) => text)).toEqual(['It is red.']);
});

test.each([
  ['of OpenAI', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
  ['of LangChain', { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }],
  ['of LangChain, as bytes', { type: 'audio', mimeType: 'audio/wav', data: new Uint8Array(3) }],
])('sound in the form %s counts as sound', (_, block) => {
  const { content } = toWire(new HumanMessage({ content: [block] }));
  expect(content).toEqual([expect.objectContaining({ type: 'file', mediaType: 'audio/wav', data: 'AAAA' })]);
});

test.each([
  ['of Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
  ['of LangChain', { type: 'image', mimeType: 'image/png', data: 'AAAA' }],
  ['of LangChain 0', { type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'AAAA' }],
  ['of OpenAI', { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
])('an image in the form %s counts as an image', (_, block) => {
  const { content } = toWire(new HumanMessage({ content: [block] }));
  expect(content).toEqual([{ type: 'file', mediaType: 'image/png', data: 'AAAA' }]);
});

test('an agent is bounded as a node of another graph, too', async () => {
  const model = fakeModel();
  for (let n = 1; n <= 20; n++)
    model.respond(
      new AIMessage({
        content: '',
        tool_calls: [{ type: 'tool_call', id: `call-${n}`, name: 'read_file', args: { path: `${n}.ts` } }],
      }),
    );
  model.respond(new AIMessage('Done.'));
  const agent = createAgent({ model, tools: [read_file], middleware: [holdfast({ max_tokens: 12_000 })] });
  const graph = new StateGraph(MessagesAnnotation).addNode('agent', agent.graph).addEdge(START, 'agent').compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage('Read.')] }, { recursionLimit: 200 });
  expect(messages.length).toBe(42);
  expect(model.calls.at(-1)?.messages.length).toBeLessThan(30);
});

test.each([
  ['calls without ids', undefined, 1],
  ['parallel calls without ids', undefined, 2],
  ['parallel calls with one id', 'same', 2],
])('%s are bounded', async (_, id, atOnce) => {
  const model = fakeModel();
  for (let n = 1; n <= 30; n++) {
    const calls = Array.from({ length: atOnce }, (_, at) => {
      const call = { type: 'tool_call' as const, name: 'read_file', args: { path: `${n}-${at}.ts` } };
      return id === undefined ? call : { ...call, id };
    });
    model.respond(new AIMessage({ content: '', tool_calls: calls }));
  }
  model.respond(new AIMessage('Done.'));
  const events: HoldfastEvent[] = [];
  const middleware = [holdfast({ max_tokens: 12_000, onEvent: (event) => events.push(event) })];
  const agent = createAgent({ model, tools: [read_file], middleware });
  const { messages } = await agent.invoke({ messages: 'Read all files.' }, { recursionLimit: 200 });
  expect(messages.length).toBe(30 * (1 + atOnce) + 2);
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
  const sizes = model.calls.map((call) => JSON.stringify(call.messages).length / 3.2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(12_000);
});

test('a call whose arguments are not JSON is folded together with its result', async () => {
  const invalid = (n: number) =>
    new AIMessage({
      content: '',
      invalid_tool_calls: [{ type: 'invalid_tool_call', id: `call-${n}`, name: 'read_file', args: `{"path": ${n}` }],
    });
  const history = Array.from({ length: 30 }, (_, n) => [
    invalid(n),
    new ToolMessage({ tool_call_id: `call-${n}`, content: fileAt(`${n}.ts`), status: 'error' }),
  ]);
  const messages = [new HumanMessage('Read.'), ...history.flat(), invalid(30), new HumanMessage('Go on.')];
  const events: HoldfastEvent[] = [];
  const model = fakeModel().respond(new AIMessage('Done.'));
  const middleware = [holdfast({ max_tokens: 12_000, onEvent: (event) => events.push(event) })];
  await createAgent({ model, tools: [read_file], middleware }).invoke({ messages });
  expect(events.map(({ type }) => type)).toEqual(['fold-end']);
  const wires = (model.calls[0]?.messages ?? []).map((message, _, all) => toWire(message, all));
  expect(wires.length).toBeLessThan(30);
  expect(validateAiSdk(wires as unknown as AiSdkMessage[])).toEqual([]);
});

test('conversations without a thread_id that begin alike are told apart by the longest known beginning', async () => {
  const api = await createStandIn({ script: scriptedModel, keep_bodies: 1_000 });
  const store = await sqlite(':memory:');
  onTestFinished(async () => {
    await api.close();
    await store.close();
  });
  const events: HoldfastEvent[] = [];
  const middleware = [holdfast({ max_tokens: 12_000, store, onEvent: (event) => events.push(event) })];
  const agent = createAgent({ model: chatModel(api.url), tools: [read_file], middleware });
  const ask = async (said: BaseMessage[], task: string): Promise<BaseMessage[]> => {
    const { messages } = await agent.invoke({ messages: [...said, new HumanMessage(task)] }, { recursionLimit: 200 });
    return messages;
  };
  const names = ['beta', 'gamma', 'delta'];
  const start = await ask([], readTask('alpha-1', 18));
  const first = await Promise.all(names.map((name) => ask(start, readTask(`${name}-2`, 12))));
  const known = (await store.list()).map(({ id }) => id).toSorted();
  expect(known.length).toBe(3);
  const second = await Promise.all(names.map((name, at) => ask(first[at] ?? [], readTask(`${name}-3`, 12))));
  expect(second.map((messages) => messages.at(-1)?.text)).toEqual(
    names.map((name) => `I have read all 12 files of ${name}-3.`),
  );
  const sessions = await store.list();
  expect(sessions.map(({ id }) => id).toSorted()).toEqual(known);
  // The last answer is known with the next request only.
  expect(sessions.map(({ messages }) => messages)).toEqual(second.map(({ length }) => length - 1));
  expect(events.filter(({ type }) => type !== 'fold-end')).toEqual([]);
  expect(Math.max(...api.requests.map(promptTokens))).toBeLessThanOrEqual(12_000);
  for (const sent of api.requests.map((request) => sentMessages(request).join('\n')))
    expect(names.filter((name) => sent.includes(name)).length).toBeLessThanOrEqual(1);
});

test('the usage of a structured answer counts, too', async () => {
  const calls = Array.from({ length: 12 }, (_, n) => ({ calls: [{ name: 'read_file', input: { path: `${n}.ts` } }] }));
  let asked = 0;
  const api = await createStandIn({
    script: ({ tools }) => {
      const name = tools.find((one) => one.name.startsWith('extract'))?.name ?? '';
      return calls[asked++] ?? { calls: [{ name, input: { files: 12 } }] };
    },
  });
  const store = await sqlite(':memory:');
  onTestFinished(async () => {
    await api.close();
    await store.close();
  });
  const agent = createAgent({
    // Newer models cannot be made to call a tool.
    model: chatModel(api.url, 'claude-sonnet-4-5'),
    tools: [read_file],
    responseFormat: toolStrategy(z.object({ files: z.number() })),
    middleware: [holdfast({ max_tokens: 8_000, store })],
  });
  const answer = await agent.invoke({ messages: 'Read all files.' }, { recursionLimit: 200 });
  expect(answer.structuredResponse).toEqual({ files: 12 });
  const [session] = await store.list();
  const { items } = await store.read(session?.id ?? '', { types: ['usage'] });
  expect(items.length).toBe(api.requests.length);
});
