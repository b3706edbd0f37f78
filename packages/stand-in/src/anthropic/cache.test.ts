import type Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { running, words } from '../../test/running.ts';
import type { StandInOptions } from '../index.ts';

type Params = Omit<Anthropic.MessageCreateParamsNonStreaming, 'model' | 'max_tokens'>;
const MINUTE = 60_000;
const marker = { cache_control: { type: 'ephemeral' as const } };
const hour = { cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } };
const block = (tokens: number, word: string, more = {}) => ({
  type: 'text' as const,
  text: words(tokens, word),
  ...more,
});

/** Asks and says how the prompt was billed: [read, written for 5 minutes, written for an hour, neither]. */
async function billing(options: StandInOptions = {}, model = 'claude-opus-5-5') {
  let now = 0;
  const { anthropic } = await running({ script: () => ({ text: 'Yes.' }), now: () => now, ...options });
  const bill = async (params: Params, of = model) => {
    const { usage } = await anthropic.messages.create({ model: of, max_tokens: 100, ...params });
    const { cache_creation: made } = usage;
    expect(usage.cache_creation_input_tokens).toBe(
      (made?.ephemeral_1h_input_tokens ?? 0) + (made?.ephemeral_5m_input_tokens ?? 0),
    );
    const read = usage.cache_read_input_tokens;
    return [read, made?.ephemeral_5m_input_tokens, made?.ephemeral_1h_input_tokens, usage.input_tokens];
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { bill, pass, anthropic };
}
const say = (...content: object[]): Params => ({ messages: [{ role: 'user', content: content as never }] });

// 6 characters of "user: " and 3194 of text are 1000 tokens of 3.2 characters.
const thousand = (word: string, more = {}) => ({
  type: 'text' as const,
  text: words(999, word).slice(0, 3194).padEnd(3194, '.'),
  ...more,
});

test('a prefix is written once and read from then on', async () => {
  const { bill } = await billing();
  const first = say(thousand('a', marker), thousand('b'));
  expect(await bill(first)).toEqual([0, 1000, 0, 1000]);
  expect(await bill(first)).toEqual([1000, 0, 0, 1000]);
  expect(await bill(say(thousand('a'), thousand('b', marker)))).toEqual([1000, 1000, 0, 0]);
  expect(await bill(say(thousand('a'), thousand('b', marker), thousand('c')))).toEqual([2000, 0, 0, 1000]);
  expect(await bill(say(thousand('x'), thousand('b', marker)))).toEqual([0, 2000, 0, 0]);
});

test('without markers nothing is cached, and only what a marker reaches is read', async () => {
  const { bill } = await billing();
  expect(await bill(say(thousand('a')))).toEqual([0, 0, 0, 1000]);
  expect(await bill(say(thousand('a', marker)))).toEqual([0, 1000, 0, 0]);
  expect(await bill(say(thousand('a')))).toEqual([0, 0, 0, 1000]);
});

test('the request’s own marker applies to its last block', async () => {
  const { bill } = await billing();
  expect(await bill({ ...say(thousand('a'), thousand('b')), ...marker })).toEqual([0, 2000, 0, 0]);
  expect(await bill({ ...say(thousand('a'), thousand('b'), thousand('c')), ...marker })).toEqual([2000, 1000, 0, 0]);
});

test.each([
  ['claude-opus-5-5', 512],
  ['claude-sonnet-5', 1024],
  ['claude-opus-4-7', 2048],
  ['claude-haiku-4-5', 4096],
])('on %s nothing below %i tokens is cached', async (model, minimum) => {
  const { bill } = await billing({}, model);
  const prompt = (tokens: number) => say({ type: 'text', text: 'x'.repeat(Math.floor(tokens * 3.2) - 6), ...marker });
  for (const _ of [1, 2]) expect(await bill(prompt(minimum - 1))).toEqual([0, 0, 0, minimum - 1]);
  expect(await bill(prompt(minimum))).toEqual([0, minimum, 0, 0]);
  expect(await bill(prompt(minimum))).toEqual([minimum, 0, 0, 0]);
});

test('a marker looks back over twenty blocks, including its own', async () => {
  const { bill } = await billing();
  const small = (count: number) => Array.from({ length: count }, (_, at) => block(20, `w${at}`));
  const last = block(20, 'last', marker);
  expect(await bill(say(thousand('a', marker)))).toEqual([0, 1000, 0, 0]);
  expect((await bill(say(thousand('a'), ...small(18), last)))[0]).toBe(1000);
  const other = await billing();
  await other.bill(say(thousand('a', marker)));
  expect((await other.bill(say(thousand('a'), ...small(19), last)))[0]).toBe(0);
  // A second marker in between has twenty positions of its own.
  const again = await billing();
  await again.bill(say(thousand('a', marker)));
  expect((await again.bill(say(thousand('a'), ...small(18), block(20, 'mid', marker), ...small(18), last)))[0]).toBe(
    1000,
  );
});

test('five minutes or an hour, from the last read', async () => {
  const { bill, pass } = await billing();
  const five = say(thousand('a', marker));
  await bill(five);
  for (const _ of [1, 2, 3]) {
    pass(5 * MINUTE - 1);
    expect(await bill(five)).toEqual([1000, 0, 0, 0]);
  }
  pass(5 * MINUTE);
  expect(await bill(five)).toEqual([0, 1000, 0, 0]);
  const long = say(thousand('h', hour), thousand('b', marker));
  expect(await bill(long)).toEqual([0, 1000, 1000, 0]);
  pass(59 * MINUTE);
  expect(await bill(long)).toEqual([1000, 1000, 0, 0]);
  pass(59 * MINUTE);
  expect(await bill(long)).toEqual([1000, 1000, 0, 0]);
  pass(60 * MINUTE);
  expect(await bill(long)).toEqual([0, 1000, 1000, 0]);
});

test('tools come first, then the system prompt, then the messages', async () => {
  const { bill } = await billing();
  const tools = [{ name: 'read', description: words(1000), input_schema: { type: 'object' as const } }];
  const system = [{ type: 'text' as const, text: words(1000, 'system'), ...marker }];
  const [, head = 0] = await bill({ ...say(block(10, 'hi')), tools, system });
  expect(head).toBeGreaterThan(2290);
  expect((await bill({ ...say(block(10, 'else')), tools, system }))[0]).toBe(head);
  const other = [{ ...tools[0], name: 'write', input_schema: { type: 'object' as const } }];
  expect((await bill({ ...say(block(10, 'hi')), tools: other, system }))[0]).toBe(0);
});

test('another tool choice, effort or thinking invalidates only the cache of the messages', async () => {
  const { bill } = await billing();
  const tools = [{ name: 'read', description: words(1000), input_schema: { type: 'object' as const }, ...marker }];
  const params = { ...say(thousand('a', marker)), tools };
  const [, written] = await bill(params);
  const head = (written ?? 0) - 1000;
  expect((await bill(params))[0]).toBe(written);
  for (const change of [
    { tool_choice: { type: 'none' as const } },
    { output_config: { effort: 'low' as const } },
    { thinking: { type: 'adaptive' as const } },
  ])
    expect((await bill({ ...params, ...change }))[0]).toBe(head);
  expect((await bill({ ...params, temperature: 0.5, metadata: { user_id: 'u' } } as Params))[0]).toBe(written);
});

test('each model has its own cache', async () => {
  const { bill } = await billing();
  await bill(say(thousand('a', marker)));
  expect((await bill(say(thousand('a', marker)), 'claude-sonnet-5-5'))[0]).toBe(0);
});

test('a request that fails before its answer writes nothing', async () => {
  const { bill } = await billing({ faults: ['overloaded'] });
  const params = say(thousand('a', marker));
  await expect(bill(params)).rejects.toMatchObject({ status: 529 });
  expect((await bill(params))[0]).toBe(0);
});

test('the count is what is billed, cached or not', async () => {
  const { bill, anthropic } = await billing();
  const params = {
    ...say(thousand('a', marker), block(77, 'b'), {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAAAMgAAABk' },
    }),
    system: 'Be brief.',
    tools: [{ name: 'read', input_schema: { type: 'object' as const } }],
  };
  const counted = await anthropic.messages.countTokens({ model: 'claude-opus-5-5', ...params });
  for (const _ of [1, 2]) {
    const parts = await bill(params);
    expect(parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)).toBe(counted.input_tokens);
  }
});
