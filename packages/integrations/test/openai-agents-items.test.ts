import { Agent, type AgentInputItem, type Model, type ModelRequest, Runner, tool } from '@openai/agents';
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/openai-agents/index.ts';
import { fromWire, toWire } from '../src/openai-agents/items.ts';
import { fileAt } from './scripted.ts';

const read_file = tool({
  name: 'read_file',
  description: 'Reads a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => fileAt(path),
});

const request = (input: ModelRequest['input'], more: Partial<ModelRequest> = {}): ModelRequest => ({
  input,
  modelSettings: {},
  tools: [],
  outputType: 'text',
  handoffs: [],
  tracing: false,
  ...more,
});

/** A long conversation, as a session would return it. */
function longHistory(calls: number): AgentInputItem[] {
  const items: AgentInputItem[] = [{ role: 'user', content: 'Read all files.' }];
  for (let n = 1; n <= calls; n++) {
    const call = { callId: `call-${n}`, name: 'read_file', status: 'completed' as const };
    items.push({ type: 'function_call', arguments: JSON.stringify({ path: `${n}.ts` }), ...call });
    items.push({ type: 'function_call_result', output: { type: 'text', text: fileAt(`${n}.ts`) }, ...call });
  }
  return items;
}

test('a run of 40 calls stays bounded, and items that no fold touched are the very same objects', async () => {
  const model = new ScriptedModel([
    ...Array.from({ length: 40 }, (_, i) =>
      modelResponder(() => [functionCall('read_file', { path: `${i}.ts` }, { callId: `call-${i}` })]),
    ),
    [assistantMessage('Done.')],
  ]);
  const agent = new Agent({ name: 'reader', model: holdfast({ max_tokens: 12_000 }).model(model), tools: [read_file] });
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'Read.', { maxTurns: 60 });
  expect(finalOutput).toBe('Done.');
  const sizes = model.calls.map((call) => JSON.stringify(call.request.input).length / 3.2);
  expect(Math.max(...sizes)).toBeLessThan(12_000);

  const items = longHistory(30);
  let sent: readonly AgentInputItem[] = [];
  const once = new ScriptedModel([modelResponder(() => [assistantMessage('Done.')])]);
  const spied: Model = {
    getResponse: (given) => {
      sent = given.input as AgentInputItem[];
      return once.getResponse(given);
    },
    getStreamedResponse: (given) => once.getStreamedResponse(given),
  };
  await holdfast({ max_tokens: 12_000 }).model(spied).getResponse(request(items));
  expect(sent.length).toBeLessThan(items.length);
  expect(sent.filter((item) => items.includes(item)).length).toBeGreaterThan(2);
  expect(sent.at(-1)).toBe(items.at(-1));
});

test('a conversation that the server keeps is passed on unchanged', async () => {
  const model = new ScriptedModel([[assistantMessage('Done.')], [assistantMessage('Done.')]]);
  const bounded = holdfast({ max_tokens: 12_000 }).model(model);
  await bounded.getResponse(request(longHistory(30), { previousResponseId: 'resp_1' }));
  expect(model.lastCall?.request.input.length).toBe(61);
  await bounded.getResponse(request('Hello.'));
  expect(model.lastCall?.request.input).toBe('Hello.');
});

test('the API never sees the name of a conversation', async () => {
  const model = new ScriptedModel([[assistantMessage('Done.')]]);
  const providerData = { holdfast: { conversation: 'one' }, include: ['x'] };
  await holdfast({ max_tokens: 12_000 })
    .model(model)
    .getResponse(request('Hello.', { modelSettings: { providerData } }));
  expect(model.lastCall?.request.modelSettings.providerData).toEqual({ include: ['x'] });
});

test.each([
  ['found by its items', undefined, undefined, 1],
  ['named', 'one', 'two', 2],
])('a conversation is %s', async (_, first, second, conversations) => {
  const model = new ScriptedModel(Array.from({ length: 3 }, () => [assistantMessage('Done.')]));
  const events: HoldfastEvent[] = [];
  const bounded = holdfast({ max_tokens: 12_000, onEvent: (event) => events.push(event) }).model(model);
  for (const [conversation, calls] of [
    [first, 30],
    [second, 30],
    [first, 50],
  ] as const) {
    const providerData = conversation === undefined ? {} : { holdfast: { conversation } };
    await bounded.getResponse(request(longHistory(calls), { modelSettings: { providerData } }));
  }
  expect(new Set(events.map((event) => `${event.type} ${event.conversation}`)).size).toBe(conversations);
});

test.each<[string, AgentInputItem]>([
  ['words', { type: 'message', role: 'user', content: 'Hello.' }],
  [
    'an image',
    { type: 'message', role: 'user', content: [{ type: 'input_image', image: 'data:image/png;base64,AAAA' }] },
  ],
  ['an uploaded image', { type: 'message', role: 'user', content: [{ type: 'input_image', image: { id: 'file-1' } }] }],
  [
    'files',
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_file', file: { id: 'file-1' } },
        { type: 'input_file', file: { url: 'https://example.com/a.pdf' } },
        { type: 'input_file', file: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
      ],
    },
  ],
  [
    'an answer',
    { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi.' }] },
  ],
  ['a call', { type: 'function_call', callId: 'a', name: 'read', arguments: '{}', status: 'completed' }],
  ['a result', { type: 'function_call_result', callId: 'a', name: 'read', status: 'completed', output: 'text' }],
])('a copy of an item with %s says the same', (_, item) => {
  expect(fromWire([toWire(item)])).toEqual(item);
});

test('a shortened output of a shell says how its command ended', async () => {
  const items = longHistory(30);
  const outcome = { type: 'exit' as const, exitCode: 3 };
  const call = { type: 'shell_call' as const, callId: 'shell', action: { commands: ['cat *'] } };
  const output = [{ stdout: 'a line of it\n'.repeat(2_000), stderr: '', outcome }];
  items.push({ ...call, status: 'completed' }, { type: 'shell_call_output', callId: 'shell', output });
  items.push({ role: 'user', content: 'Why?' });
  const model = new ScriptedModel([[assistantMessage('Done.')]]);
  await holdfast({ max_tokens: 6_000 }).model(model).getResponse(request(items));
  const sent = (model.lastCall?.request.input ?? []) as AgentInputItem[];
  const shortened = sent.find(({ type }) => type === 'shell_call_output');
  expect(shortened).toMatchObject({ callId: 'shell', output: [{ outcome }] });
  expect(JSON.stringify(shortened)).toContain('[exit code: 3]');
});

test('bytes of an image in a result are base64 in the log', () => {
  const image = { data: new Uint8Array([1, 2, 3]), mediaType: 'image/png' };
  const wire = toWire({
    type: 'function_call_result',
    callId: 'a',
    name: 'look',
    status: 'completed',
    output: { type: 'image', image },
  });
  expect(wire.output).toEqual([{ type: 'input_image', image_url: 'data:image/png;base64,AQID' }]);
});
