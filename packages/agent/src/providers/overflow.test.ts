import { expect, test } from 'vitest';
import { overflowOf } from './overflow.ts';

const TOLD = [
  ['prompt is too long: 208310 tokens > 200000 maximum', { size: 208310, limit: 200000 }],
  [
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease',
    { size: 178959, limit: 136000 },
  ],
  [
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300007 tokens. Please reduce',
    { size: 300007, limit: 272000 },
  ],
  [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    { size: 9000, limit: 8192 },
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 9500 tokens (8500 in the messages, 1000 in the completion).",
    { size: 8500, limit: 7192 },
  ],
  ['Your input exceeds the context window of this model. Please adjust your input and try again.', {}],
  ['the request exceeds the available context size, try increasing it', {}],
  [
    'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    { size: 9000, limit: 4096 },
  ],
  ['Input is too long for requested model.', {}],
  [
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    { size: 1200000, limit: 1048576 },
  ],
  [
    "'max_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 5000 input tokens (32000 > 32768 - 5000).",
    { size: 5000, limit: 768 },
  ],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { size: 40000, limit: 32768 },
  ],
  ['the input length exceeds the context length', {}],
] as const;

test.each(TOLD)('what an API tells of a prompt that is too long is read: %s', (message, overflow) => {
  expect(overflowOf({ status: 400, message })).toEqual(overflow);
});

test('a request that is too large as a whole is one, and other errors are none', () => {
  expect(overflowOf({ status: 413, message: 'Request exceeds the maximum size' })).toEqual({});
  expect(overflowOf({ message: 'anything', code: 'context_length_exceeded' })).toEqual({});
  expect(overflowOf({ status: 400, message: 'messages: text content blocks must be non-empty' })).toBeUndefined();
  const busy = { status: 429, message: 'too many tokens per minute', code: 'rate_limit_exceeded' };
  expect(overflowOf(busy)).toBeUndefined();
});

test('figures that stand beside the words count, too', () => {
  const told = { status: 400, message: 'too large', code: 'exceed_context_size_error' };
  expect(overflowOf({ ...told, n_ctx: 4096, n_prompt_tokens: 9000 })).toEqual({ limit: 4096, size: 9000 });
  expect(overflowOf({ ...told, n_ctx: '4096' })).toEqual({});
});

test.each([
  'The long context window beta is not yet available for this subscription.',
  'Invalid tool: description mentions the context window of the editor',
  'context_window: Extra inputs are not permitted',
  'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens',
])('words that only mention a context window are none: %s', (message) => {
  expect(overflowOf({ status: 400, message })).toBeUndefined();
});
