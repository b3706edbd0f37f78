import { expect, test } from 'vitest';
import { overflowOf } from './overflow.ts';

const OVERFLOWS = [
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
  // xAI
  [
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { size: 537812, limit: 131072 },
  ],
  // GitHub Copilot
  ['prompt token count of 146270 exceeds the limit of 128000', { size: 146270, limit: 128000 }],
  ['prompt token count of 146270 exceeds the limit of 128000. Please shorten it.', { size: 146270, limit: 128000 }],
  // Kimi
  [
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)',
    { size: 269030, limit: 262144 },
  ],
  ['model max length exceeded, max length:8192', {}],
  // MiniMax: the figure is the code of the error
  ['invalid params, context window exceeds limit (2013)', {}],
  // Z.ai
  ['Prompt exceeds max length', {}],
  ['Prompt too long', {}],
  ['tokens in request more than max tokens allowed', {}],
  // SGLang
  ["The input (61709 tokens) is longer than the model's context length (40960 tokens).", { size: 61709, limit: 40960 }],
  ['Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).', { size: 160062, limit: 59862 }],
  [
    "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion.",
    { size: 170941, limit: 170752 },
  ],
  // TGI
  ['Input validation error: `inputs` must have less than 1024 tokens. Given: 1168', { size: 1168, limit: 1024 }],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1244 `inputs` tokens and 1000 `max_new_tokens`',
    { size: 1244, limit: 1048 },
  ],
  // TensorRT-LLM
  [
    'The sum of prompt length (72417.0), query length (0) should not exceed max_num_tokens (69632)',
    { size: 72417, limit: 69632 },
  ],
  [
    'The sum of prompt length (30000.0), query length (0) and max_tokens (4000) should not exceed max_seq_len (32768)',
    {},
  ],
  ['Prompt length (5056) exceeds maximum sequence length (2048)', { size: 5056, limit: 2048 }],
  [
    '`default_max_tokens` (-2784) should be greater than 0, `default_max_tokens` (-2784) = max_seq_len (69632) - `splited_prompt_len` (72416) - `query_token_len` (0)',
    { size: 72416, limit: 69632 },
  ],
  [
    '`default_max_tokens` (-152) must be greater than 0, `default_max_tokens` (-152) = max_seq_len (8192) - `splited_prompt_len` (8000) - `query_token_len` (344)',
    { size: 8000, limit: 8192 },
  ],
  ['`prompt_token_ids` length (9000) is greater than `max_seq_len` (8192)', { size: 9000, limit: 8192 }],
  ['The sum of prompt length (5000) and max_tokens (4000) should be less than or equal to max_seq_len (8192)', {}],
  // vLLM
  ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.', { size: 5000, limit: 4096 }],
  ['max_tokens must be at least 1, got -2784.', {}],
  // Groq
  ['Please reduce the length of the messages or completion.', {}],
  // Qwen
  ['<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]', { limit: 129024 }],
  // Doubao
  ['Total tokens of image and text exceed max message tokens. Request id: 0217', {}],
  // watsonx
  [
    "Invalid input argument for Model 'meta-llama/llama-2-70b-chat': the number of input tokens 4098 cannot exceed the total tokens limit 4096 for this model",
    { size: 4098, limit: 4096 },
  ],
  // others of the same shape
  ['messages have 140000 tokens, which is above the maximum of 131072', { size: 140000, limit: 131072 }],
  ['The prompt is too large', {}],
  ['Input token length too long', {}],
  ['Input Tokens Limit Exceeded', {}],
  ['Request too large: input tokens 140000 > limit 131072', { size: 140000, limit: 131072 }],
  ['Your conversation is larger than the maximum number of tokens allowed', {}],
  ['You exceeded maximum context window for this model', {}],
  [
    'Too many input tokens. Max input tokens: 128000, request input token count: 140000',
    { size: 140000, limit: 128000 },
  ],
  [
    "This endpoint's maximum context length is 524288 tokens. However, you requested about 538487 tokens (14474 of text input, 12013 of tool input, 512000 in the output).",
    { size: 26487, limit: 12288 },
  ],
] as const;

test.each(OVERFLOWS)('recognizes an API’s error for a prompt that is too long: %s', (message, overflow) => {
  expect(overflowOf({ status: 400, message })).toEqual(overflow);
});

test('a request that is too large as a whole is an overflow, other errors are not', () => {
  expect(overflowOf({ status: 413, message: 'Request exceeds the maximum size' })).toEqual({});
  expect(overflowOf({ message: 'anything', code: 'context_length_exceeded' })).toEqual({});
  expect(overflowOf({ status: 400, message: 'messages: text content blocks must be non-empty' })).toBeUndefined();
  const busy = { status: 429, message: 'too many tokens per minute', code: 'rate_limit_exceeded' };
  expect(overflowOf(busy)).toBeUndefined();
});

test('reads sizes and limits from separate fields', () => {
  const told = { status: 400, message: 'too large', code: 'exceed_context_size_error' };
  expect(overflowOf({ ...told, n_ctx: 4096, n_prompt_tokens: 9000 })).toEqual({ limit: 4096, size: 9000 });
  expect(overflowOf({ ...told, n_ctx: '4096' })).toEqual({});
});

test.each([400, 422, 500, undefined])('counts with the status %s', (status) => {
  expect(overflowOf({ status, message: 'prompt token count of 9000 exceeds the limit of 8000' })).toEqual({
    size: 9000,
    limit: 8000,
  });
});

test.each([401, 403, 404, 408, 429])('does not count with the status %s', (status) => {
  expect(overflowOf({ status, message: 'Your request exceeded model token limit: 1000' })).toBeUndefined();
});

test.each(['model_max_prompt_tokens_exceeded', 'context_window_exceeded', 'token_quantity_exceeded'])(
  'a code is enough: %s',
  (code) => {
    expect(overflowOf({ status: 400, message: 'no', code })).toEqual({});
  },
);

test.each([
  'The long context window beta is not yet available for this subscription.',
  'Invalid tool: description mentions the context window of the editor',
  'context_window: Extra inputs are not permitted',
  'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens',
  'max_tokens (100000) exceeds the limit of 8192',
  "The number of completion tokens provided exceeds the model's limit of 4096",
  '`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model',
  "Invalid 'input[3].id': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.",
  "Invalid 'messages[0].name': string too long",
  'The string in your input is too long: id has maximum length 64',
  'Input tokens exceed the limit of 30000 tokens per minute',
  'Your request has a tool whose name exceeds the maximum length of 64',
  'Your request exceeds the limit of 100 images',
  'Request exceeds the limit of 32 MB',
  'The request exceeds the limit of concurrent sessions',
  'max_tokens: Input should be less than or equal to 8192',
  'thinking.budget_tokens must be less than max_tokens',
  'Input exceeds the maximum number of images (20)',
  'input should have at most 128 items',
  'tools: the array is longer than 128',
  'temperature must be <= 2',
  'temperature must be greater than 0',
  'max_tokens must be greater than 0',
  'max_tokens must be at least 1, got 0.',
  'temperature: Input should be less than or equal to 1',
  'thinking.budget_tokens: Input should be greater than or equal to 1024',
  'Your request exceeds your quota for context caching',
  'The context window of this model is 200000 tokens',
  'Unknown parameter: context_length',
])('is about something else: %s', (message) => {
  expect(overflowOf({ status: 400, message })).toBeUndefined();
});
