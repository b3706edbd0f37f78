import { codingTask, fixedAnswers, STAND_IN_MODELS, type StandInModel, type StandInOptions } from '@holdfast/stand-in';
import { expect, test, vi } from 'vitest';
import type { ApiOptions } from '../src/index.ts';
import { APIS, type ApiUnderTest, refused, standing } from './apis.ts';
import { fileTools, sources } from './file-tools.ts';
import { answerWith, messageEvents, ownServer, stream, textBlock } from './own-server.ts';

const FILES = Object.fromEntries(
  Array.from({ length: 6 }, (_, file) => [`src/f${file}.ts`, `export const line_of_code_${file} = 1;\n`.repeat(200)]),
);

async function task(api: ApiUnderTest, options: ApiOptions, server: StandInOptions = {}) {
  const folder = sources(FILES);
  const standIn = await standing({ script: codingTask(folder, { calls: 40, seed: 5 }), keep_bodies: 1_000, ...server });
  const { tools, ran } = fileTools(folder);
  const provider = api.provider(standIn, { model: api.models[0], tools, system: 'Be careful.', max_output: 1_000 });
  const result = await provider.execute('Improve the sources.', { conversation: { max_messages: 0 }, ...options });
  return { result, ran, standIn };
}

const small = (api: ApiUnderTest, window: number, announced?: number) => {
  const model = STAND_IN_MODELS[api.models[0]] as StandInModel;
  return { [api.models[0]]: { ...model, window, ...(announced === undefined ? {} : { announced }) } };
};

test.each(APIS)('$name: a window smaller than announced is learned from the rejection', async (api) => {
  const { result, ran, standIn } = await task(
    api,
    {},
    { models: small(api, 12_000, 200_000), overflow_in_stream: true },
  );
  expect(result).toMatchObject({ success: true, iterationComplete: true });
  expect(ran.length).toBe(40);
  // Learned once where the refusal tells the limit; the Responses API does not tell it.
  expect(refused(standIn).length).toBeLessThanOrEqual(api.name === 'openai-responses' ? 2 : 1);
  expect(refused(standIn).length).toBeGreaterThan(0);
});

test('anthropic: the window that the models endpoint announces is kept, and nothing is refused', async () => {
  const [api] = APIS as [ApiUnderTest];
  const { result, standIn } = await task(api, {}, { models: small(api, 12_000) });
  expect(result.success).toBe(true);
  expect(refused(standIn)).toEqual([]);
  expect(standIn.requests.filter(({ path }) => path.startsWith('/v1/models')).length).toBe(1);
});

test.each(APIS)('$name: the user’s model settings apply, and nothing is rejected', async (api) => {
  const models = { [api.models[0]]: { window: 12_000 } };
  const { result, standIn } = await task(api, { models }, { models: small(api, 12_000) });
  expect(result.success).toBe(true);
  expect(refused(standIn)).toEqual([]);
  expect(standIn.requests.some(({ path }) => path.startsWith('/v1/models'))).toBe(false);
});

test.each(APIS)(
  '$name: parts that cannot be folded are named with their sizes, and no request is wasted',
  async (api) => {
    const standIn = await standing({ script: fixedAnswers('Never.') });
    const provider = api.provider(standIn, { model: api.models[0], models: { [api.models[0]]: { window: 8_000 } } });
    const result = await provider.execute('Read this. '.repeat(5_000), { max_output: 1_000, system: 'Be careful.' });
    expect(result).toMatchObject({ success: false, errorCategory: 'context_overflow' });
    expect(result.error).toMatch(/reserve \d+ .*newest user message \d+/);
    expect(result.overBudget?.floor.tokens).toBeGreaterThan(result.overBudget?.max.tokens ?? Number.POSITIVE_INFINITY);
    expect(standIn.requests.length).toBe(0);
  },
);

test.each(APIS)(
  '$name: a turn with more messages than a view may have is sent whole, and only that turn',
  async (api) => {
    const rounds = [40, 1, 60, 1];
    const script = fixedAnswers(
      ...rounds.map((calls, round) => ({
        calls: Array.from({ length: calls }, (_, i) => ({ name: 'look', input: { at: `${round}/${i}` } })),
      })),
      'Done.',
    );
    const standIn = await standing({ script, keep_bodies: 10 });
    const look = { name: 'look', description: 'Looks.', input_schema: { type: 'object' as const }, run: () => 'seen' };
    const provider = api.provider(standIn, { model: api.models[0], tools: [look] });
    const result = await provider.execute('Look around.', { conversation: { max_messages: 30 } });
    expect(result).toMatchObject({ success: true, output: 'Done.' });
    expect(refused(standIn)).toEqual([]);
    const lengths = standIn.requests.flatMap(({ body }) => {
      const { messages, input, contents } = (body ?? {}) as Record<string, unknown[] | undefined>;
      return (messages ?? input ?? contents)?.length ?? [];
    });
    // Anthropic and Gemini take all results of a turn in one message, the others one each, Responses the calls as well.
    const each = { anthropic: 0, gemini: 0, 'openai-chat': 1, 'openai-responses': 2 }[api.name];
    const beyond = lengths.map((length, i) => length - each * (rounds[i - 1] ?? 0));
    expect(lengths).toHaveLength(5);
    expect(beyond.every((length) => length > 0 && length <= 30)).toBe(true);
    // The next view is within the limit again.
    expect(Math.max(lengths[2] ?? 99, lengths[4] ?? 99)).toBeLessThanOrEqual(30);
  },
);

/** Google's client counts no tools and no system prompt. */
const COUNTING = APIS.filter(({ name }) => name === 'anthropic' || name === 'openai-responses');

test.each(COUNTING)('$name: near the limit the API itself counts, unless that is not wanted', async (api) => {
  const counting = /count_tokens|input_tokens/;
  // More tokens for a character than is assumed: the estimate is too low until something is observed.
  const dense = { ...(STAND_IN_MODELS[api.models[0]] as StandInModel), window: 12_000, characters: 2 };
  const models = { [api.models[0]]: { window: 12_000 } };
  const server = { models: { [api.models[0]]: dense } };
  const counted = await task(api, { models }, server);
  expect(counted.result.success).toBe(true);
  expect(refused(counted.standIn)).toEqual([]);
  expect(counted.standIn.requests.some(({ path }) => counting.test(path))).toBe(true);
  const uncounted = await task(api, { models, count_before_request: false }, server);
  expect(uncounted.result.success).toBe(true);
  expect(uncounted.standIn.requests.some(({ path }) => counting.test(path))).toBe(false);
});

test.each(COUNTING)(
  '$name: a count over the limit folds the view, and teaches nothing about the limit',
  async (api) => {
    const [model] = api.models;
    const dense = { ...(STAND_IN_MODELS[model] as StandInModel), window: 12_000, characters: 2 };
    const script = fixedAnswers({ calls: [{ name: 'read', input: {} }] }, 'Done.');
    const standIn = await standing({ script, models: { [model]: dense } });
    const read = { name: 'read', description: 'reads', input_schema: { type: 'object' }, run: () => LINES };
    const provider = api.provider(standIn, { model, models: { [model]: { window: 12_000 } }, max_output: 1_000 });
    const result = await provider.execute('Read.', { tools: [read] });
    expect(result).toMatchObject({ success: true, output: 'Done.', folds: 1 });
    expect(refused(standIn)).toEqual([]);
    expect(result.conversationState).not.toHaveProperty('limit');
  },
);

/** Thought to be within the limit, at three characters a token, and over it at two. */
const LINES = Array.from({ length: 1_110 }, (_, line) => `line ${10_000 + line} of a long file.`).join('\n');

test.each(APIS.slice(0, 2))('$name: a limit that the API named is known to the next execution, too', async (api) => {
  const folder = sources(FILES);
  const script = codingTask(folder, { calls: 60, seed: 5 });
  const standIn = await standing({ script, models: small(api, 12_000, 200_000) });
  const { tools } = fileTools(folder);
  const options = { model: api.models[0], tools, max_output: 1_000, conversation: { max_messages: 0 } };
  const provider = api.provider(standIn, options);
  const first = await provider.execute('Improve the sources.', { max_requests: 20 });
  expect(refused(standIn).length).toBe(1);
  const second = await provider.execute('Go on.', { conversationState: first.conversationState });
  expect(second.success).toBe(true);
  expect(second.folds).toBeGreaterThan(0);
  expect(refused(standIn).length).toBe(1);
});

const LLAMA = {
  message: 'the request exceeds the available context size, try increasing it',
  type: 'exceed_context_size_error',
  n_prompt_tokens: 9_040,
  n_ctx: 8_192,
};
const OTHERS = [
  [LLAMA, 8_192],
  [{ message: 'Input is too long for requested model.' }, undefined],
  [{ message: 'The input token count (9040) exceeds the maximum number of tokens allowed (8192).' }, 8_192],
] as const;

test.each(OTHERS)(
  'a compatible server’s rejection is recognized, and the conversation is folded: %j',
  async (error, limit) => {
    const [, chat] = APIS as [ApiUnderTest, ApiUnderTest];
    const server = await ownServer((nth, response) => {
      if (nth > 1) return answerWith(chat, response, { text: 'Done.', stop: 'stop' });
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    });
    const history = ['user', 'assistant', 'user', 'assistant', 'user', 'assistant'].map((role, i) => ({
      role: role as 'user',
      text: `words of message ${i} `.repeat(300),
    }));
    const result = await chat.provider(server, { model: 'a-model' }).execute('Go on.', { history });
    expect(result).toMatchObject({ success: true, output: 'Done.', requests: 2, folds: 1 });
    const [first, second] = server.bodies.map((body) => JSON.stringify(body).length);
    expect(second).toBeLessThan((first ?? 0) * 0.9);
    const { limit: learned } = result.conversationState as { limit?: number };
    expect(learned).toBe(limit && Math.floor(limit * 0.98));
  },
);

test.each([
  ['The long context window beta is not yet available for this subscription.', 400, 'invalid_request', 1],
  ['Request exceeds the maximum size', 413, 'context_overflow', 1],
] as const)(
  'if folding does not help, the API’s own message is the error: %s',
  async (message, status, category, requests) => {
    const [api] = APIS as [ApiUnderTest];
    const server = await ownServer((_, response) => {
      const body = { type: 'error', error: { type: 'invalid_request_error', message } };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const result = await api.provider(server, { model: api.models[0] }).execute('hi');
    expect(result).toMatchObject({ success: false, errorCategory: category, requests });
    expect(result.error).toMatch(new RegExp(`^${message}`));
    expect(result.error).not.toMatch(/\d > \d/);
  },
);

test('a token count that never arrives delays one request, and only briefly', async () => {
  const [api] = APIS as [ApiUnderTest];
  let counts = 0;
  const waits: number[] = [];
  const late = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    waits.push(ms);
    return late.signal;
  });
  const server = await ownServer((nth, response, { url = '' }) => {
    if (url.includes('count')) {
      counts++;
      late.abort();
    } else if (nth > 2) stream(response, messageEvents([textBlock('Done.')], 'end_turn'));
    else answerWith(api, response, { calls: [{ name: 'note', json: '{}' }], stop: 'tool_use' });
  });
  const note = { name: 'note', description: 'notes', input_schema: { type: 'object' }, run: () => 'noted' };
  const provider = api.provider(server, {
    model: 'm',
    models: { m: { window: 20_000, max_output: 1_000 } },
    ask_window: false,
    tools: [note],
  });
  const result = await provider.execute('word '.repeat(10_500));
  timeout.mockRestore();
  expect(result).toMatchObject({ success: true, output: 'Done.', requests: 3 });
  expect({ counts, waits }).toEqual({ counts: 1, waits: [5_000] });
});
