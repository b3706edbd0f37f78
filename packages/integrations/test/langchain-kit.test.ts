import { fakeModel } from '@langchain/core/testing';
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { type AiSdkMessage, validateAiSdk } from 'holdfast/rules';
import { AIMessage, type BaseMessage, createAgent, HumanMessage, ToolMessage, tool } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/langchain/index.ts';
import { fromWire, toWire } from '../src/langchain/messages.ts';
import { fileAt } from './scripted.ts';

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
  const copy = fromWire(wire);
  expect(copy.type).toBe(message.type);
  expect(toWire(copy)).toEqual(wire);
});

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', url: 'x' }] };
const cited = { type: 'text', text: 'It is red.', citations: [{ type: 'web_search_result_location', url: 'x' }] };
test.each<[string, BaseMessage]>([
  ['a search by the provider', new AIMessage({ content: [search, found, cited] })],
  ['a file by its id', new HumanMessage({ content: [{ type: 'file', file: { file_id: 'file-1' } }] })],
  ['a block of a new kind as its result', new ToolMessage({ tool_call_id: 'a', content: [{ type: 'new', n: 1 }] })],
])('a copy of a message with %s has the same blocks', (_, message) => {
  // A store keeps JSON.
  const wire = JSON.parse(JSON.stringify(toWire(message)));
  const broken = validateAiSdk([wire]).map(({ rule }) => rule);
  expect(broken.filter((rule) => rule.startsWith('bad-'))).toEqual([]);
  expect(fromWire(wire).content).toEqual(message.content);
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
