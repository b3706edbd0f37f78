import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { all, failureOf, running, words } from '../../test/running.ts';
import { type Answer, createStandIn, type StandInModel } from '../index.ts';

type Item = Record<string, unknown>;
type Input = OpenAI.Responses.ResponseInput;

const ANSWER: Answer = { thinking: 'Let me see.', calls: [{ name: 'read', input: { path: 'a' } }] };
const user = (content: string) => ({ role: 'user', content });
const call = (id: string, more: Item = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{}',
  ...more,
});
const output = (id: string, more: Item = {}) => ({ type: 'function_call_output', call_id: id, output: 'ok', ...more });

interface Row {
  readonly rule: string;
  readonly message: string | RegExp;
  readonly code?: string;
  readonly param?: string;
  readonly status?: number;
  readonly input: readonly Item[];
  readonly taken: readonly Item[];
}

const LONG = 'x'.repeat(65);
const ROWS: readonly Row[] = [
  {
    rule: 'call without output',
    message: 'No tool output found for function call call_X.',
    input: [user('Go.'), call('call_X')],
    taken: [user('Go.'), call('call_X'), output('call_X')],
  },
  {
    rule: 'output without call',
    message: 'No tool call found for function call output with call_id call_X.',
    input: [user('Go.'), output('call_X')],
    taken: [user('Go.'), call('call_X'), output('call_X')],
  },
  {
    rule: 'output before its call',
    message: 'No tool call found for function call output with call_id call_X.',
    input: [user('Go.'), output('call_X'), call('call_X')],
    taken: [user('Go.'), call('call_X'), call('call_Y'), output('call_Y'), output('call_X')],
  },
  {
    rule: 'duplicate id',
    message: /^Duplicate item found with id fc_1/,
    input: [user('Go.'), call('a', { id: 'fc_1' }), call('b', { id: 'fc_1' }), output('a'), output('b')],
    taken: [user('Go.'), call('a', { id: 'fc_1' }), call('b', { id: 'fc_2' }), output('a'), output('b')],
  },
  {
    rule: 'how ids begin',
    message: "Invalid 'input[1].id': 'call_abc'. Expected an ID that begins with 'fc'.",
    code: 'invalid_value',
    param: 'input[1].id',
    input: [user('Go.'), call('a', { id: 'call_abc' }), output('a')],
    taken: [user('Go.'), call('a', { id: 'fc_abc' }), output('a')],
  },
  {
    rule: 'how long ids are',
    message:
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    code: 'string_above_max_length',
    param: 'input[1].call_id',
    input: [user('Go.'), call(LONG), output(LONG)],
    taken: [user('Go.'), call(LONG.slice(1)), output(LONG.slice(1))],
  },
  {
    rule: 'a reference to something that is not stored',
    message:
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    status: 404,
    input: [user('Go.'), { type: 'item_reference', id: 'rs_1' }],
    taken: [user('Go.')],
  },
  {
    rule: 'ciphertext of others',
    message:
      'The encrypted content gAAA...abcd could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    code: 'invalid_encrypted_content',
    input: [
      user('Go.'),
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAxxabcd' },
      { type: 'message', role: 'assistant', content: 'Yes.' },
      user('Go on.'),
    ],
    taken: [user('Go.'), { type: 'message', role: 'assistant', content: 'Yes.' }, user('Go on.')],
  },
  {
    rule: 'compaction comes last',
    message: "Invalid 'input[0]': 'compaction_trigger' must be the final input item.",
    code: 'invalid_value',
    param: 'input[0]',
    input: [{ type: 'compaction_trigger' }, user('Go.')],
    taken: [user('Go.')],
  },
  {
    rule: 'nothing that the stand-in cannot do',
    message: 'compaction_trigger: the stand-in does not support this',
    param: 'compaction_trigger',
    input: [user('Go.'), { type: 'compaction_trigger' }],
    taken: [user('Go.')],
  },
  {
    rule: 'parts of a message',
    message: /^Invalid value: 'output_text'\. Supported values are:/,
    code: 'invalid_value',
    param: 'input[0].content[0]',
    input: [{ role: 'user', content: [{ type: 'output_text', text: 'Go.' }] }],
    taken: [{ role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }],
  },
];

test.each(ROWS)('refused: $rule', async ({ message, code = null, param = 'input', status = 400, input }) => {
  const { openai, standIn } = await running();
  const error = await failureOf(openai.post('/responses', { body: { model: 'gpt-6-sol', store: false, input } }));
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  expect(error.error).toEqual({ message: text, type: 'invalid_request_error', param, code });
  expect(error.status).toBe(status);
  expect(standIn.requests[0]).toMatchObject({ verdict: 'refused', status });
});

test.each(ROWS)('accepted counterpart: $rule', async ({ taken }) => {
  const { openai } = await running();
  const answer = await openai.post('/responses', { body: { model: 'gpt-6-sol', store: false, input: taken } });
  expect(answer).toMatchObject({ object: 'response', status: 'completed' });
});

/** One round: what was asked, what was answered, and the output for its call. */
async function round(store: boolean) {
  const { openai } = await running({ script: () => ANSWER });
  const send = (input: readonly unknown[], more: Item = {}) =>
    openai.responses.create({ model: 'gpt-6-sol', store, input: input as Input, ...more });
  const first = await send([user('Go.')]);
  const [reasoning, called] = first.output;
  if (reasoning?.type !== 'reasoning' || called?.type !== 'function_call') throw new Error('no such items');
  return { send, openai, first, reasoning, called, answer: output(called.call_id) };
}

test('reasoning is sent back with what followed it, never alone', async () => {
  const { send, reasoning, called, answer } = await round(false);
  await send([user('Go.'), reasoning, called, answer]);
  expect(await failureOf(send([user('Go.'), reasoning]))).toMatchObject({
    status: 400,
    message: expect.stringContaining(
      `Item '${reasoning.id}' of type 'reasoning' was provided without its required following item.`,
    ),
  });
});

test('an item that lost its reasoning is refused, unless it lost its id too', async () => {
  const { send, reasoning, called, answer } = await round(false);
  const { id, ...bare } = called;
  expect(await failureOf(send([user('Go.'), called, answer]))).toMatchObject({
    message: expect.stringContaining(
      `Item '${id}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning.id}'.`,
    ),
  });
  await send([user('Go.'), bare, answer]);
});

test('reasoning without encrypted content is accepted only if it was stored', async () => {
  const strip = ({ encrypted_content: _, ...rest }: OpenAI.Responses.ResponseReasoningItem) => rest;
  const kept = await round(true);
  await kept.send([user('Go.'), strip(kept.reasoning), kept.called, kept.answer]);
  const lost = await round(false);
  expect(await failureOf(lost.send([user('Go.'), strip(lost.reasoning), lost.called, lost.answer]))).toMatchObject({
    status: 404,
  });
});

test('tampered encrypted content is refused', async () => {
  const { send, reasoning, called, answer } = await round(false);
  const forged = { ...reasoning, encrypted_content: `${reasoning.encrypted_content?.slice(0, -1)}!` };
  expect(await failureOf(send([user('Go.'), forged, called, answer]))).toMatchObject({
    code: 'invalid_encrypted_content',
  });
});

test('encrypted content stays valid after a restart', async () => {
  const { openai, reasoning, called, answer } = await round(false);
  const other = await createStandIn();
  const client = openai.withOptions({ baseURL: `${other.url}/v1` });
  const input = [user('Go.'), reasoning, called, answer] as Input;
  expect(await client.responses.create({ model: 'gpt-6-sol', store: false, input })).toMatchObject({
    status: 'completed',
  });
  await other.close();
});

test('only a stored response can be continued', async () => {
  const { send, first, answer, openai } = await round(true);
  const next = await send([answer], { previous_response_id: first.id });
  const counted = await openai.responses.inputTokens.count({
    model: 'gpt-6-sol',
    previous_response_id: first.id,
    input: [answer] as Input,
  });
  expect(counted.input_tokens).toBe(next.usage?.input_tokens);
  expect(await failureOf(send([user('Go.')], { previous_response_id: first.id }))).toMatchObject({
    message: expect.stringContaining('No tool output found for function call'),
  });
  expect(await failureOf(send([user('Go.')], { previous_response_id: 'resp_x' }))).toMatchObject({
    status: 400,
    code: 'previous_response_not_found',
    param: 'previous_response_id',
    message: expect.stringContaining("Previous response with id 'resp_x' not found."),
  });
  const both = { previous_response_id: first.id, conversation: 'conv_1' };
  expect(await failureOf(send([answer], both))).toMatchObject({ code: 'mutually_exclusive_parameters' });
});

test('a prompt that is too long is refused by status, or inside the stream', async () => {
  const small: StandInModel = { api: 'openai', window: 10_000, max_output: 1000, cache: 'steps', reasoning: true };
  const models = { small };
  const { openai } = await running({ models });
  const message = 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  const error = await failureOf(openai.responses.create({ model: 'small', input: words(10_001) }));
  expect(error.error).toEqual({
    message,
    type: 'invalid_request_error',
    param: 'input',
    code: 'context_length_exceeded',
  });
  await openai.responses.create({ model: 'small', input: words(9900) });
  const late = await running({ models, overflow_in_stream: true });
  const stream = await late.openai.responses.create({ model: 'small', input: words(10_001), stream: true });
  expect(await failureOf(all(stream))).toMatchObject({ code: 'context_length_exceeded', status: undefined });
  expect(late.standIn.requests[0]).toMatchObject({
    verdict: 'refused',
    status: 200,
    error: { rule: 'prompt-too-long' },
  });
  const raw = await fetch(`${late.standIn.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: 'Bearer any' },
    body: JSON.stringify({ model: 'small', input: words(10_001), stream: true }),
  });
  const events = (await raw.text()).match(/(?<=^data: ).*$/gm)?.map((data) => JSON.parse(data)) ?? [];
  const sent = { code: 'context_length_exceeded', message };
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', ...sent },
    { type: 'response.failed', response: { error: sent } },
  ]);
});
