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
] as const;

test.each(TOLD)('what an API tells of a prompt that is too long is read: %s', (message, overflow) => {
  expect(overflowOf(400, message, '')).toEqual(overflow);
});

test('a request that is too large as a whole is one, and other errors are none', () => {
  expect(overflowOf(413, 'Request exceeds the maximum size', '')).toEqual({});
  expect(overflowOf(undefined, 'anything', 'context_length_exceeded')).toEqual({});
  expect(overflowOf(400, 'messages: text content blocks must be non-empty', '')).toBeUndefined();
  expect(overflowOf(429, 'too many tokens per minute', 'rate_limit_exceeded')).toBeUndefined();
});
