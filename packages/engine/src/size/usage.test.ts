import { expect, test } from 'vitest';
import { promptTokensOf } from './usage.ts';

/** Each reports a prompt of 10,000 tokens. */
const FORMS: readonly (readonly [form: string, report: object])[] = [
  [
    'Anthropic',
    { input_tokens: 5, cache_creation_input_tokens: 3_000, cache_read_input_tokens: 6_995, output_tokens: 7 },
  ],
  ['OpenAI chat', { prompt_tokens: 10_000, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 9_000 } }],
  ['OpenAI chat by way of LiteLLM', { prompt_tokens: 10_000, cache_read_input_tokens: 9_000, total_tokens: 10_007 }],
  ['OpenAI responses', { input_tokens: 10_000, input_tokens_details: { cached_tokens: 9_000 }, output_tokens: 3 }],
  ['the AI SDK 5', { inputTokens: 10_000, outputTokens: 7, cachedInputTokens: 9_000, totalTokens: 10_007 }],
  [
    'the AI SDK 5 with an input that leaves the cache out',
    { inputTokens: 1_000, outputTokens: 7, cachedInputTokens: 9_000 },
  ],
  [
    'the AI SDK 7',
    { inputTokens: 10_000, inputTokenDetails: { noCacheTokens: 900, cacheReadTokens: 9_000, cacheWriteTokens: 100 } },
  ],
  ["the AI SDK's models", { inputTokens: { total: 10_000, noCache: 900, cacheRead: 9_000, cacheWrite: 100 } }],
  ["the AI SDK's models without a total", { inputTokens: { noCache: 900, cacheRead: 9_000, cacheWrite: 100 } }],
  ['the AI SDK 4', { promptTokens: 10_000, completionTokens: 7 }],
  ['Gemini', { promptTokenCount: 10_000, cachedContentTokenCount: 9_000, toolUsePromptTokenCount: 50 }],
  ['a response of Gemini', { usageMetadata: { promptTokenCount: 10_000, totalTokenCount: 10_400 } }],
  [
    'Bedrock',
    { inputTokens: 900, outputTokens: 7, totalTokens: 10_007, cacheReadInputTokens: 9_000, cacheWriteInputTokens: 100 },
  ],
  ['Bedrock without a cache', { inputTokens: 10_000, outputTokens: 7, totalTokens: 10_007 }],
  [
    "the last event of Bedrock's InvokeModelWithResponseStream",
    {
      type: 'message_stop',
      'amazon-bedrock-invocationMetrics': {
        inputTokenCount: 1_000,
        cacheReadInputTokenCount: 8_000,
        cacheWriteInputTokenCount: 1_000,
        outputTokenCount: 7,
      },
    },
  ],
  ["Titan on Bedrock's InvokeModel", { inputTextTokenCount: 10_000, results: [{ tokenCount: 7 }] }],
  ["an event of Bedrock's stream", { metadata: { usage: { inputTokens: 1_000, cacheReadInputTokens: 9_000 } } }],
  ['the Claude Agent SDK', { inputTokens: 900, cacheReadInputTokens: 9_000, cacheCreationInputTokens: 100 }],
  ['pi', { input: 900, output: 7, cacheRead: 9_000, cacheWrite: 100, totalTokens: 10_007, cost: { input: 0.1 } }],
  [
    'a message of pi',
    { role: 'assistant', content: [], usage: { input: 10_000, output: 7, cacheRead: 0, cacheWrite: 0 } },
  ],
  ['OpenCode', { input: 900, output: 7, reasoning: 3, cache: { read: 9_000, write: 100 } }],
  [
    'a message of OpenCode',
    { info: { role: 'assistant', tokens: { input: 1_000, output: 7, cache: { read: 9_000, write: 0 } } } },
  ],
  ['LangChain', { input_tokens: 10_000, output_tokens: 7, input_token_details: { cache_read: 9_000 } }],
  [
    'an AIMessage',
    { content: 'a', usage_metadata: { input_tokens: 10_000, input_token_details: { cache_read: 9_000 } } },
  ],
  ['Ollama', { message: { role: 'assistant', content: 'a' }, done: true, prompt_eval_count: 10_000, eval_count: 7 }],
  ['Cohere', { usage: { billed_units: { input_tokens: 12 }, tokens: { input_tokens: 10_000, output_tokens: 7 } } }],
  [
    "Cohere's first version",
    { text: 'a', meta: { billed_units: { input_tokens: 12 }, tokens: { input_tokens: 10_000 } } },
  ],
  [
    "Cohere's client",
    { usage: { billedUnits: { inputTokens: 12 }, tokens: { inputTokens: 10_000, outputTokens: 7 } } },
  ],
  ['Cohere with billed units alone', { billed_units: { input_tokens: 10_000 } }],
];

test.each(FORMS)('%s', (_, report) => {
  expect(promptTokensOf(report)).toEqual({ tokens: 10_000 });
});

test.each([
  [{ model: 'm', usage: { prompt_tokens: 1 } }],
  [{ modelVersion: 'm', usageMetadata: { promptTokenCount: 1 } }],
  [{ info: { modelID: 'm', tokens: { input: 1 } } }],
  [{ response_metadata: { model_name: 'm' }, usage_metadata: { input_tokens: 1 } }],
  [{ type: 'response.completed', response: { model: 'm', usage: { input_tokens: 1 } } }],
  [{ type: 'message_start', message: { model: 'm', usage: { input_tokens: 1 } } }],
])('the model is read from %o', (report) => {
  expect(promptTokensOf(report)).toEqual({ tokens: 1, model: 'm' });
});

test.each([
  [undefined],
  [{}],
  [{ message: 'input_tokens' }],
  [{ completion_tokens: 3 }],
  [{ input_tokens: Number.NaN }],
  [{ inputTokens: { total: undefined } }],
  [{ input: 'a text' }],
  [{ usage: { output_tokens: 7 } }],
])('%o has no prompt tokens', (report) => {
  expect(promptTokensOf(report)).toBeUndefined();
});
