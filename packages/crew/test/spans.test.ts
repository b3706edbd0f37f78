import type { Tool } from '@holdfast/agent';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ALONE, crewModel, crewOn, talk } from './crew-model.ts';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
beforeEach(() => exporter.reset());
afterAll(() => trace.disable());

/** Official clients create spans as well. */
const own = () =>
  exporter.getFinishedSpans().filter(({ instrumentationScope }) => instrumentationScope.name === '@holdfast/crew');

const look: Tool = { name: 'look', description: 'Looks', input_schema: { type: 'object' }, run: () => 'seen' };

test('with an SDK, a request is a tree of spans by the GenAI conventions, without conversation text', async () => {
  const model = await crewModel({
    lead: () => ({ text: 'secret words [ROUTE_CLERK]' }),
    clerk: ({ results }) =>
      results.length === 0 ? { calls: [{ name: 'look', input: { what: 'secret' } }] } : { text: 'secret answer' },
  });
  const crew = crewOn(
    model,
    {
      entry: 'lead',
      provider: { model: 'claude-sonnet-5' },
      agents: { lead: { role: 'x', hand_offs: ['clerk'] }, clerk: { role: 'y', tools: ['look'], terminal: true } },
    },
    { tools: [look] },
  );
  await crew.execute('secret question', talk(60));
  const spans = own();
  const nameOf = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id)?.name;
  expect(spans.map(({ name, parentSpanContext }) => [name, nameOf(parentSpanContext?.spanId)])).toEqual([
    ['chat claude-sonnet-5', 'invoke_agent lead'],
    ['invoke_agent lead', 'invoke_workflow lead'],
    ['chat claude-sonnet-5', 'invoke_agent clerk'],
    ['execute_tool look', 'invoke_agent clerk'],
    ['chat claude-sonnet-5', 'invoke_agent clerk'],
    ['invoke_agent clerk', 'invoke_workflow lead'],
    ['invoke_workflow lead', undefined],
  ]);
  expect(spans[0]?.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-5',
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(spans[3]?.attributes).toMatchObject({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look' });
  const root = spans.at(-1);
  expect(root?.attributes).toMatchObject({ 'holdfast.crew.status': 'complete', 'holdfast.crew.hand_offs': 1 });
  expect(root?.events.map(({ name }) => name)).toContain('holdfast.history.pruned');
  expect(JSON.stringify(spans.map(({ attributes, events }) => ({ attributes, events })))).not.toContain('secret');
});

test('marks failures and leaves no span open', async () => {
  const model = await crewModel({ clerk: () => ({ stop: 'refusal', text: 'no' }) });
  await crewOn(model, ALONE).execute('go');
  const spans = own();
  expect(spans.map(({ name, status }) => [name.split(' ')[0], status.code])).toEqual([
    ['chat', 0],
    ['invoke_agent', 2],
    ['invoke_workflow', 2],
  ]);
});
