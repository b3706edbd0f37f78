import { expect, test } from 'vitest';
import { failureOf, running, words } from '../../test/running.ts';
import type { StandInModel } from '../index.ts';

type Body = Record<string, unknown>;
interface Row {
  readonly rule: string;
  readonly message: string | RegExp;
  readonly param: string | null;
  readonly code?: string;
  readonly body: Body;
  readonly taken: Body;
  readonly status?: number;
}

const user = (content: unknown) => ({ role: 'user', content });
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
});
const result = (id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const say = (...messages: unknown[]): Body => ({ messages });
const SMALL: StandInModel = { api: 'openai', window: 10_000, max_output: 1000, cache: 'breakpoints', reasoning: true };

const ROWS: readonly Row[] = [
  {
    rule: 'every call is answered',
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_b",
    param: 'messages.[1].role',
    body: say(user('Go.'), calls('call_a', 'call_b'), result('call_a'), user('Go on.')),
    taken: say(user('Go.'), calls('call_a', 'call_b'), result('call_b'), result('call_a')),
  },
  {
    rule: 'a result has a call',
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: 'messages.[1].role',
    body: say(user('Go.'), result('call_a')),
    taken: say(user('Go.'), calls('call_a'), result('call_a')),
  },
  {
    rule: 'the right id',
    message: "Invalid parameter: 'tool_call_id' of 'call_X' not found in 'tool_calls' of previous message.",
    param: 'messages.[3].tool_call_id',
    body: say(user('Go.'), calls('call_a'), result('call_a'), result('call_X')),
    taken: say(user('Go.'), calls('call_a', 'call_X'), result('call_a'), result('call_X')),
  },
  {
    rule: 'each result once',
    message: "Duplicate value for 'tool_call_id' of call_a in message[3]",
    param: 'messages.[3].role',
    body: say(user('Go.'), calls('call_a'), result('call_a'), result('call_a')),
    taken: say(user('Go.'), calls('call_a'), result('call_a')),
  },
  {
    rule: 'content is not null',
    message: "Invalid value for 'content': expected a string, got null.",
    param: 'messages.[1].content',
    body: say(user('Go.'), { role: 'assistant', content: null }, user('Go on.')),
    taken: say(user('Go.'), { role: 'assistant', content: '' }, user('Go on.')),
  },
  {
    rule: 'ids of forty characters',
    message:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
    param: 'messages[1].tool_calls[0].id',
    code: 'string_above_max_length',
    body: say(user('Go.'), calls('x'.repeat(41)), result('x'.repeat(41))),
    taken: say(user('Go.'), calls('x'.repeat(40)), result('x'.repeat(40))),
  },
  {
    rule: 'results are text',
    message: "Invalid value: 'image_url'. Supported values are: 'text'.",
    param: 'messages.[2].content',
    body: say(user('Go.'), calls('a'), result('a', [{ type: 'image_url', image_url: { url: 'data:,' } }])),
    taken: say(user('Go.'), calls('a'), result('a', [{ type: 'text', text: 'ok' }])),
  },
  {
    rule: 'prompt too long',
    message:
      /^Input tokens exceed the configured limit of 10000 tokens\. Your messages resulted in 10\d\d\d tokens\. Please reduce the length of the messages\.$/,
    param: 'messages',
    code: 'context_length_exceeded',
    body: { ...say(user(words(10_001))), model: 'small' },
    taken: { ...say(user(words(9900))), model: 'small' },
  },
  {
    rule: 'prompt too long, in older words',
    message:
      /^This model's maximum context length is 10000 tokens\. However, your messages resulted in 10\d\d\d tokens\./,
    param: 'messages',
    code: 'context_length_exceeded',
    body: { ...say(user(words(10_001))), model: 'small-old' },
    taken: { ...say(user(words(9900))), model: 'small-old' },
  },
  {
    rule: 'calls have ids',
    message: "Missing required parameter: 'messages[1].tool_calls[0].id'.",
    param: 'messages[1].tool_calls[0].id',
    code: 'missing_required_parameter',
    body: say(user('Go.'), { ...calls(), tool_calls: [{ type: 'function', function: { name: 'a', arguments: '' } }] }),
    taken: say(user('Go.'), calls('a'), result('a')),
  },
  {
    rule: 'roles',
    message: /^Invalid value: 'robot'\. Supported values are:/,
    param: 'messages.[0].role',
    body: say({ role: 'robot', content: 'Go.' }),
    taken: say({ role: 'developer', content: 'Be brief.' }, user('Go.')),
  },
  {
    rule: 'max_tokens on a model that reasons',
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    param: 'max_tokens',
    code: 'unsupported_parameter',
    body: { ...say(user('Go.')), max_tokens: 10 },
    taken: { ...say(user('Go.')), max_tokens: 10, model: 'gpt-4o' },
  },
  {
    rule: 'no unknown parameter',
    message: "Unknown parameter: 'colour'.",
    param: 'colour',
    code: 'unknown_parameter',
    body: { ...say(user('Go.')), colour: 'red' },
    taken: { ...say(user('Go.')), metadata: {} },
  },
  {
    rule: 'a model that exists',
    message: 'The model `gpt-0` does not exist or you do not have access to it.',
    param: null,
    code: 'model_not_found',
    status: 404,
    body: { ...say(user('Go.')), model: 'gpt-0' },
    taken: { ...say(user('Go.')), model: 'gpt-4.1' },
  },
];

const MODELS = { small: SMALL, 'small-old': { ...SMALL, older_words: true } };

test.each(ROWS)('refused: $rule', async ({ message, param, code = null, body, status = 400 }) => {
  const { openai, standIn } = await running({ models: MODELS });
  const error = await failureOf(openai.post('/chat/completions', { body: { model: 'gpt-6-sol', ...body } }));
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  expect(error.error).toEqual({ message: text, type: 'invalid_request_error', param, code });
  expect(error).toMatchObject({ status, requestID: expect.stringMatching(/^req_/) });
  expect(standIn.requests[0]).toMatchObject({ verdict: 'refused', status });
});

test.each(ROWS)('accepted counterpart: $rule', async ({ taken }) => {
  const { openai } = await running({ models: MODELS });
  const answer = await openai.post('/chat/completions', { body: { model: 'gpt-6-sol', ...taken } });
  expect(answer).toMatchObject({ object: 'chat.completion' });
});

test('requests without a key are refused', async () => {
  const { standIn } = await running();
  const response = await fetch(`${standIn.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({
    error: { type: 'invalid_request_error', message: expect.stringMatching(/^You didn't provide an API key\./) },
  });
});
