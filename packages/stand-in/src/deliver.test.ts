import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { all, failureOf, running, words } from '../test/running.ts';
import { createStandIn, FAULT_KINDS, type StandInModel } from './index.ts';

const TEXT = 'One word after the other, so that there is something to break off in the middle of it.';
const messages = [{ role: 'user' as const, content: 'Go.' }];
const CLAUDE = { model: 'claude-opus-5-5', max_tokens: 1000, messages };
const GPT = { model: 'gpt-6-sol', messages };
const RESPONSES = { model: 'gpt-6-sol', input: 'Go.', store: false };

type Clients = Awaited<ReturnType<typeof running>>;
/** One request for each API, whole and as a stream that is read to its end. */
const WAYS = [
  ['messages', 'whole', ({ anthropic }: Clients) => anthropic.messages.create(CLAUDE)],
  [
    'messages',
    'stream',
    async ({ anthropic }: Clients) => all(await anthropic.messages.create({ ...CLAUDE, stream: true })),
  ],
  ['chat', 'whole', ({ openai }: Clients) => openai.chat.completions.create(GPT)],
  [
    'chat',
    'stream',
    async ({ openai }: Clients) => all(await openai.chat.completions.create({ ...GPT, stream: true })),
  ],
  ['responses', 'whole', ({ openai }: Clients) => openai.responses.create(RESPONSES)],
  [
    'responses',
    'stream',
    async ({ openai }: Clients) => all(await openai.responses.create({ ...RESPONSES, stream: true })),
  ],
] as const;

const start = () => running({ script: () => ({ text: TEXT }) });

test.each(WAYS)('%s, %s: 429 with retry-after, overloaded, 500', async (api, _, ask) => {
  const clients = await start();
  clients.standIn.fail({ kind: 'rate-limit', retry_after: 7 }, 'overloaded', 'server-error');
  const limited = await failureOf(ask(clients));
  expect(limited.status).toBe(429);
  expect((limited.headers as Headers).get('retry-after')).toBe('7');
  expect(await failureOf(ask(clients))).toMatchObject({ status: api === 'messages' ? 529 : 503 });
  expect(await failureOf(ask(clients))).toMatchObject({ status: 500 });
  await ask(clients);
  expect(clients.standIn.requests.map(({ fault, verdict }) => [fault, verdict])).toEqual([
    ['rate-limit', 'failed'],
    ['overloaded', 'failed'],
    ['server-error', 'failed'],
    [undefined, 'answered'],
  ]);
});

test('errors have the types of the real APIs', async () => {
  const clients = await start();
  clients.standIn.fail('rate-limit', 'overloaded', 'server-error', 'rate-limit');
  const types: unknown[] = [];
  for (const _ of [1, 2, 3]) types.push((await failureOf(clients.anthropic.messages.create(CLAUDE))).type);
  expect(types).toEqual(['rate_limit_error', 'overloaded_error', 'api_error']);
  expect(await failureOf(clients.openai.chat.completions.create(GPT))).toMatchObject({ code: 'rate_limit_exceeded' });
});

test.each(WAYS)('%s, %s: reset before an answer', async (_, __, ask) => {
  const clients = await start();
  clients.standIn.fail('reset');
  const error = await failureOf(ask(clients));
  expect(error).toSatisfy(
    (one) => one instanceof Anthropic.APIConnectionError || one instanceof OpenAI.APIConnectionError,
  );
  expect(clients.standIn.requests[0]).toMatchObject({ status: 0, verdict: 'failed' });
});

test.each(WAYS)('%s, %s: reset in the middle', async (_, way, ask) => {
  const clients = await start();
  clients.standIn.fail('mid-reset');
  const error = await failureOf(ask(clients));
  expect(error.status).toBeUndefined();
  if (way === 'stream') expect(error).toMatchObject({ name: 'TypeError', message: 'terminated' });
});

test('part of the stream arrives before a reset in the middle', async () => {
  const { anthropic, standIn } = await start();
  standIn.fail({ kind: 'mid-reset', after: 4 });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { type } of await anthropic.messages.create({ ...CLAUDE, stream: true })) seen.push(type);
  })();
  await failureOf(reading);
  expect(seen).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
});

test('a stream that ends early is not an error to the clients', async () => {
  const clients = await start();
  clients.standIn.fail('early-end', 'early-end', 'early-end');
  for (const [, way, ask] of WAYS) {
    if (way !== 'stream') continue;
    const events = (await ask(clients)) as { type?: string }[];
    expect(events.length).toBeGreaterThan(0);
    expect(events.map(({ type }) => type)).not.toContain('message_stop');
    expect(events.map(({ type }) => type)).not.toContain('response.completed');
  }
});

test.each(WAYS)('%s, %s: malformed JSON', async (_, __, ask) => {
  const clients = await start();
  clients.standIn.fail('malformed');
  expect((await failureOf(ask(clients))).name).toBe('SyntaxError');
});

test.each(WAYS)('%s, %s: an error in the middle', async (_, way, ask) => {
  const clients = await start();
  clients.standIn.fail('error-event');
  const error = await failureOf(ask(clients));
  expect(error.status).toBe(way === 'stream' ? undefined : 500);
  expect(error).toSatisfy((one) => one instanceof Anthropic.APIError || one instanceof OpenAI.APIError);
});

test.each(WAYS)('%s, %s: slow bytes all arrive', async (_, __, ask) => {
  const clients = await start();
  const before = await ask(clients);
  clients.standIn.fail({ kind: 'slow', bytes: 200, pause_ms: 1 });
  expect(JSON.stringify(await ask(clients)).length).toBe(JSON.stringify(before).length);
});

test.each(WAYS)('%s, %s: refused as too long although it fits', async (api, _, ask) => {
  const clients = await start();
  clients.standIn.fail({ kind: 'too-long', limit: 3 });
  const text = {
    messages: /prompt is too long: \d+ tokens > 3 maximum/,
    chat: /Input tokens exceed the configured limit of 3 tokens/,
    responses: /Your input exceeds the context window of this model/,
  }[api];
  expect(await failureOf(ask(clients))).toMatchObject({ status: 400, message: expect.stringMatching(text) });
  expect(clients.standIn.requests[0]).toMatchObject({ fault: 'too-long', verdict: 'failed' });
  await ask(clients);
});

test('the real limit may be smaller than the announced one', async () => {
  const small: StandInModel = {
    api: 'anthropic',
    window: 5000,
    announced: 8000,
    max_output: 1000,
    cache_minimum: 512,
    binding: 'never',
  };
  const { anthropic } = await running({ models: { small } });
  const { max_input_tokens: announced } = await anthropic.models.retrieve('small');
  expect(announced).toBe(8000);
  const params = { model: 'small', messages: [{ role: 'user' as const, content: words(6000) }] };
  const { input_tokens: counted } = await anthropic.messages.countTokens(params);
  expect(counted).toBeLessThan(8000);
  expect(await failureOf(anthropic.messages.create({ ...params, max_tokens: 100 }))).toMatchObject({
    message: expect.stringContaining(`prompt is too long: ${counted} tokens > 5000 maximum`),
  });
});

test('the clients retry what they are known to retry', async () => {
  const standIn = await createStandIn({ faults: ['overloaded', { kind: 'rate-limit', retry_after: 0.01 }, 'reset'] });
  const client = new Anthropic({ baseURL: standIn.url, apiKey: 'k', maxRetries: 3, logLevel: 'off' });
  expect(await client.messages.create(CLAUDE)).toMatchObject({ type: 'message' });
  expect(standIn.requests.map(({ status }) => status)).toEqual([529, 429, 0, 200]);
  await standIn.close();
});

test('random faults are the same for the same seed, as frequent as requested, and of all kinds', async () => {
  const run = async (seed: number) => {
    const clients = await running({ fault_rate: { rate: 0.3, seed }, script: () => ({ text: 'x' }) });
    for (let i = 0; i < 120; i++) await Promise.resolve(WAYS[1][2](clients)).catch(() => {});
    return clients.standIn.requests.map(({ fault }) => fault);
  };
  const [one, again, other] = [await run(1), await run(1), await run(2)];
  expect(one).toEqual(again);
  expect(one).not.toEqual(other);
  const struck = one.filter((fault) => fault !== undefined);
  expect(struck.length).toBeGreaterThan(20);
  expect(struck.length).toBeLessThan(55);
  expect(new Set([...struck, ...other.filter(Boolean)])).toEqual(new Set(FAULT_KINDS));
});

test('counting and the list of models never fail at random', async () => {
  const { anthropic, standIn } = await running({ fault_rate: { rate: 1 } });
  await anthropic.messages.countTokens({ model: CLAUDE.model, messages });
  await anthropic.models.retrieve(CLAUDE.model);
  expect(standIn.requests.map(({ status }) => status)).toEqual([200, 200]);
});

test('a client that disconnects does not affect the server', async () => {
  const { anthropic, standIn } = await start();
  standIn.fail({ kind: 'slow', bytes: 1, pause_ms: 5 });
  const stream = await anthropic.messages.create({ ...CLAUDE, stream: true });
  stream.controller.abort();
  expect(await anthropic.messages.create(CLAUDE)).toMatchObject({ type: 'message' });
});

test('a failing script is reported as a 500', async () => {
  const { anthropic } = await running({
    script: () => {
      throw new Error('no idea');
    },
  });
  expect(await failureOf(anthropic.messages.create(CLAUDE))).toMatchObject({
    status: 500,
    message: expect.stringContaining('The script failed: Error: no idea'),
  });
});
