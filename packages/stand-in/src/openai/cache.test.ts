import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { running, words } from '../../test/running.ts';

type Chat = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model'>;
const MINUTE = 60_000;
const user = (content: string | object[]) => ({ role: 'user' as const, content: content as string });

/** Asks and says [prompt, cached, written]. */
async function billing(model: string) {
  let now = 0;
  const { openai } = await running({ script: () => ({ text: 'Yes.' }), now: () => now });
  const bill = async (params: Chat) => {
    const { usage } = await openai.chat.completions.create({ model, ...params });
    const { cached_tokens, cache_write_tokens } = usage?.prompt_tokens_details ?? {};
    return [usage?.prompt_tokens, cached_tokens, cache_write_tokens];
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { bill, pass, openai };
}

test('before GPT-5.6, prefixes are read in steps of 128 tokens from 1024, and writes are free', async () => {
  const { bill, pass } = await billing('gpt-5.2');
  // "\nuser : " is 8 characters, so 1500 tokens are 4792 more.
  const long = words(1500).slice(0, 4792);
  expect(await bill({ messages: [user(long)] })).toEqual([1500, 0, 0]);
  expect(await bill({ messages: [user(long)] })).toEqual([1500, 1408, 0]);
  expect((await bill({ messages: [user(long), user('Go on.')] }))[1]).toBe(1408);
  // The first 1100 tokens are the same: eight steps are whole.
  expect((await bill({ messages: [user(`${long.slice(0, 3512)}${words(500, 'else')}`)] }))[1]).toBe(1024);
  expect((await bill({ messages: [user(`${long.slice(0, 3000)}${words(500, 'else')}`)] }))[1]).toBe(0);
  pass(10 * MINUTE);
  expect((await bill({ messages: [user(long)] }))[1]).toBe(0);
});

test('before GPT-5.6, a short prompt is never cached', async () => {
  const { bill } = await billing('gpt-4o');
  for (const _ of [1, 2]) expect((await bill({ messages: [user(words(1000))] }))[1]).toBe(0);
});

test('retention and key of the older cache', async () => {
  const { bill, pass } = await billing('gpt-5.2');
  const params = { messages: [user(words(2000))], prompt_cache_retention: '24h' as const };
  await bill(params);
  pass(23 * 60 * MINUTE);
  expect((await bill(params))[1]).toBeGreaterThan(1900);
  expect((await bill({ ...params, prompt_cache_key: 'other' }))[1]).toBe(0);
});

test('since GPT-5.6, the exact end of each request is written, and read by the next', async () => {
  const { bill, pass } = await billing('gpt-6-sol');
  const history = [user(words(2000))];
  const [first] = await bill({ messages: history });
  expect(await bill({ messages: history })).toEqual([first, first, 0]);
  const grown = [...history, { role: 'assistant' as const, content: 'Yes.' }, user(words(300, 'more'))];
  const [second = 0] = await bill({ messages: grown });
  expect(await bill({ messages: [...grown, user('Go on...')] })).toEqual([second + 5, second, 5]);
  pass(30 * MINUTE);
  expect((await bill({ messages: grown }))[1]).toBe(0);
});

test('since GPT-5.6, an unmarked part of a prefix is not read', async () => {
  const { bill } = await billing('gpt-6-sol');
  await bill({ messages: [user(words(2000)), user(words(100, 'tail'))] });
  expect((await bill({ messages: [user(words(2000)), user(words(100, 'else'))] }))[1]).toBe(0);
});

test('breakpoints of the request are written and read, the latest four', async () => {
  const { bill } = await billing('gpt-6-sol');
  const prompt_cache_breakpoint = { mode: 'explicit' };
  const part = (word: string, marked = true) => ({
    type: 'text',
    text: words(1100, word),
    ...(marked && { prompt_cache_breakpoint }),
  });
  const tail = (word: string) => ({ type: 'text', text: words(50, word) });
  const all = ['a', 'b', 'c', 'd', 'e'].map((word) => part(word));
  const options = { prompt_cache_options: { mode: 'explicit' as const } };
  await bill({ messages: [user([...all, tail('x')])], ...options });
  // The first of five was not written.
  expect((await bill({ messages: [user([part('a'), tail('z')])], ...options }))[1]).toBe(0);
  const [, cached] = await bill({ messages: [user([...all.slice(0, 3), tail('y')])], ...options });
  expect(cached).toBeGreaterThan(3300);
  // Without any breakpoint an explicit request does not use the cache.
  const bare = { messages: [user([part('q', false)])], ...options };
  for (const _ of [1, 2]) expect((await bill(bare)).slice(1)).toEqual([0, 0]);
});

test('the Responses API counts, bills and caches the same way', async () => {
  const { openai } = await billing('gpt-6-sol');
  const params = { model: 'gpt-6-sol', store: false, instructions: 'Be brief.', input: words(3000) };
  const { input_tokens: counted } = await openai.responses.inputTokens.count({
    model: params.model,
    instructions: params.instructions,
    input: params.input,
  });
  const first = await openai.responses.create(params);
  expect(first.usage).toMatchObject({
    input_tokens: counted,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: counted },
  });
  const again = await openai.responses.create(params);
  expect(again.usage?.input_tokens_details).toEqual({ cached_tokens: counted, cache_write_tokens: 0 });
});

test('older models do not accept the options of the newer cache', async () => {
  const { bill } = await billing('gpt-5.2');
  const options = { prompt_cache_options: { mode: 'explicit' as const } };
  await expect(bill({ messages: [user('Go.')], ...options })).rejects.toMatchObject({ code: 'unsupported_parameter' });
});
