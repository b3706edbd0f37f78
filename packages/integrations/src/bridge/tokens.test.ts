import { expect, test } from 'vitest';
import { tokensIn } from './tokens.ts';

const counted = { input: 700, output: 50, cacheRead: 200, cacheWrite: 100 };

test.each([
  ['the AI SDK', { inputTokens: { total: 1_000, cacheRead: 200, cacheWrite: 100 }, outputTokens: { total: 50 } }],
  [
    'LangChain',
    { input_tokens: 1_000, output_tokens: 50, input_token_details: { cache_read: 200, cache_creation: 100 } },
  ],
  ['Strands', { inputTokens: 700, outputTokens: 50, cacheReadInputTokens: 200, cacheWriteInputTokens: 100 }],
  ['opencode', { input: 700, output: 40, reasoning: 10, cache: { read: 200, write: 100 } }],
  ['pi', { input: 700, output: 50, cacheRead: 200, cacheWrite: 100 }],
])('tokens are read from the usage of %s', (_, usage) => {
  expect(tokensIn(usage)).toEqual(counted);
});

test.each([
  ['OpenAI Agents', { inputTokens: 900, outputTokens: 50, inputTokensDetails: [{ cached_tokens: 200 }] }],
  ['Mastra', { inputTokens: 900, outputTokens: 50, cachedInputTokens: 200 }],
  [
    'the Google ADK',
    { promptTokenCount: 900, candidatesTokenCount: 40, thoughtsTokenCount: 10, cachedContentTokenCount: 200 },
  ],
])('tokens are read from the usage of %s, which reports no writing to the cache', (_, usage) => {
  expect(tokensIn(usage)).toEqual({ ...counted, cacheWrite: 0 });
});

test.each([undefined, null, {}, { input: 0, output: 0 }, 'text'])('%o is not usage', (usage) => {
  expect(tokensIn(usage)).toBeUndefined();
});
