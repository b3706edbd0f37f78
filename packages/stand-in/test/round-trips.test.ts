import { expect, test } from 'vitest';
import { fixedAnswers } from '../src/index.ts';
import { all, running } from './running.ts';

const ANSWER = {
  text: 'I look at both files, one after the other, and then say what I found.',
  calls: [
    { name: 'read_file', input: { path: 'a.ts', deep: { list: [1, 2, 3] } } },
    { name: 'read_file', input: { path: 'bä😀.ts' } },
  ],
  thinking: 'First a.ts, since the other one imports it; then the other.',
};
const SCHEMA = { type: 'object' as const, properties: { path: { type: 'string' } } };

test('the Messages API answers the same with and without a stream', async () => {
  const { anthropic, standIn } = await running({ script: () => ANSWER });
  const params = {
    model: 'claude-opus-5-5',
    max_tokens: 1000,
    thinking: { type: 'adaptive' as const },
    tools: [{ name: 'read_file', input_schema: SCHEMA }],
    messages: [{ role: 'user' as const, content: 'Read them.' }],
  };
  const whole = await anthropic.messages.create(params);
  expect(whole.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
  // Texts without citations have no field for them, whatever the client's types say.
  expect(whole.content[1]).toEqual({ type: 'text', text: ANSWER.text });
  expect(whole.stop_reason).toBe('tool_use');
  const streamed = await anthropic.messages.stream(params).finalMessage();
  expect(streamed.content).toEqual(whole.content);
  expect(streamed.usage).toMatchObject({
    input_tokens: whole.usage.input_tokens,
    output_tokens: whole.usage.output_tokens,
  });
  expect(standIn.requests.map(({ verdict, status }) => [verdict, status])).toEqual([
    ['answered', 200],
    ['answered', 200],
  ]);
});

test('the Messages API streams its events in the real order', async () => {
  const { standIn } = await running({ script: () => ANSWER });
  const response = await fetch(`${standIn.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: 'claude-opus-5-5',
      max_tokens: 1000,
      stream: true,
      thinking: { type: 'adaptive' },
      messages: [{ role: 'user', content: 'Read them.' }],
    }),
  });
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  const events = lines.map((line) => JSON.parse(line.slice(6)));
  const order = events.map(({ type, delta }) => (delta?.type ? `${type} ${delta.type}` : type));
  expect(order.filter((type, at) => type !== order[at - 1])).toEqual([
    'message_start',
    'content_block_start',
    'ping',
    'content_block_delta thinking_delta',
    'content_block_delta signature_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta text_delta',
    'content_block_stop',
    ...Array(2).fill(['content_block_start', 'content_block_delta input_json_delta', 'content_block_stop']).flat(),
    'message_delta',
    'message_stop',
  ]);
  const json = events.filter(({ delta, index }) => delta?.type === 'input_json_delta' && index === 2);
  expect(json[0].delta.partial_json).toBe('');
  expect(json.length).toBeGreaterThan(2);
  expect(events[0].message).toMatchObject({ content: [], stop_reason: null, stand_in: 'no model: a script answered' });
  expect(response.headers.get('x-stand-in')).toBe('no model');
});

test('thinking that is not shown is sent as its signature only', async () => {
  const { anthropic } = await running({ script: () => ANSWER });
  const { content } = await anthropic.messages.create({
    model: 'claude-opus-5-5',
    max_tokens: 1000,
    thinking: { type: 'adaptive', display: 'omitted' },
    messages: [{ role: 'user', content: 'Read them.' }],
  });
  expect(content[0]).toMatchObject({ type: 'thinking', thinking: '', signature: expect.stringMatching(/.{100}/) });
});

test('Chat Completions answers the same with and without a stream', async () => {
  const { openai } = await running({ script: () => ANSWER });
  const params = {
    model: 'gpt-6-sol',
    tools: [{ type: 'function' as const, function: { name: 'read_file', parameters: SCHEMA } }],
    messages: [{ role: 'user' as const, content: 'Read them.' }],
  };
  const whole = await openai.chat.completions.create(params);
  const runner = openai.chat.completions.stream({ ...params, stream_options: { include_usage: true } });
  const streamed = await runner.finalChatCompletion();
  expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  expect(streamed.choices[0]?.message.tool_calls).toMatchObject(whole.choices[0]?.message.tool_calls ?? []);
  expect(streamed.usage).toEqual(whole.usage);
  expect(whole.choices[0]?.finish_reason).toBe('tool_calls');
  expect(whole.system_fingerprint).toBe('fp_stand_in_no_model');
});

test('Chat Completions sends usage in a separate last chunk, and only on request', async () => {
  const { openai } = await running({ script: () => ({ text: 'Yes.' }) });
  const params = { model: 'gpt-6-sol', stream: true as const, messages: [{ role: 'user' as const, content: 'Yes?' }] };
  const without = await all(await openai.chat.completions.create(params));
  expect(without.some((chunk) => 'usage' in chunk)).toBe(false);
  const chunks = await all(
    await openai.chat.completions.create({ ...params, stream_options: { include_usage: true } }),
  );
  expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 2 } });
});

test('the Responses API answers the same with and without a stream', async () => {
  const { openai } = await running({ script: () => ANSWER });
  const params = {
    model: 'gpt-6-sol',
    store: false,
    reasoning: { summary: 'auto' as const },
    tools: [{ type: 'function' as const, name: 'read_file', parameters: SCHEMA, strict: false }],
    input: 'Read them.',
  };
  const whole = await openai.responses.create(params);
  expect(whole.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
  expect(whole.output_text).toBe(ANSWER.text);
  const streamed = await openai.responses.stream(params).finalResponse();
  expect(streamed.output).toMatchObject(whole.output);
  expect(streamed.usage).toEqual(whole.usage);
});

test('the Responses API streams its events in the real order', async () => {
  const { openai } = await running({ script: () => ({ ...ANSWER, calls: ANSWER.calls.slice(0, 1) }) });
  const params = { model: 'gpt-6-sol', stream: true as const, reasoning: { summary: 'auto' as const }, input: 'Read.' };
  const events = await all(await openai.responses.create(params));
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  const order = events.map(({ type }) => type);
  expect(order.filter((type, at) => type !== order[at - 1]).map((type) => type.replace('response.', ''))).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ]);
  const done = events.find((event) => event.type === 'response.output_item.done');
  expect(done).toMatchObject({ item: { type: 'reasoning', encrypted_content: expect.stringMatching(/^gAAAA/) } });
});

test('an answer that is longer than allowed is cut and says so', async () => {
  const { anthropic, openai } = await running({ script: () => ({ text: 'x'.repeat(3200) }) });
  const messages = [{ role: 'user' as const, content: 'Go on.' }];
  const message = await anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 100, messages });
  expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 100 } });
  const chat = await openai.chat.completions.create({ model: 'gpt-6-sol', max_completion_tokens: 100, messages });
  expect(chat.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'x'.repeat(320) } });
  const response = await openai.responses.create({ model: 'gpt-6-sol', max_output_tokens: 100, input: 'Go on.' });
  expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
});

test('records contain bodies and usage, but no key', async () => {
  const { anthropic, openai, standIn } = await running({ script: fixedAnswers('one', 'two'), keep_bodies: 1 });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const { usage } = await anthropic.messages.create({ model: 'claude-opus-5-5', max_tokens: 100, messages });
  await openai.chat.completions.create({ model: 'gpt-6-sol', messages });
  const [first, second] = standIn.requests;
  expect(first).toMatchObject({ api: 'anthropic', path: '/v1/messages', method: 'POST', body: undefined });
  expect(first?.usage).toEqual(usage);
  expect(second).toMatchObject({ api: 'openai-chat', body: { model: 'gpt-6-sol', messages } });
  expect(JSON.stringify(standIn.requests)).not.toContain('sk-planted-key');
});

test('the models endpoints answer each client in its own format', async () => {
  const { anthropic, openai } = await running({
    models: {
      'claude-small': {
        api: 'anthropic',
        window: 9000,
        announced: 10_000,
        max_output: 500,
        cache_minimum: 512,
        binding: 'never',
      },
    },
  });
  expect(await anthropic.models.retrieve('claude-small')).toMatchObject({ max_input_tokens: 10_000, max_tokens: 500 });
  const listed = await all(anthropic.models.list());
  expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(['claude-fable-5-2', 'claude-small']));
  expect(listed.some(({ id }) => id.startsWith('gpt'))).toBe(false);
  expect((await all(openai.models.list())).map(({ id }) => id)).toContain('gpt-6-sol');
  await expect(openai.models.retrieve('gpt-0')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  await expect(anthropic.models.retrieve('claude-0')).rejects.toMatchObject({ status: 404, type: 'not_found_error' });
});
