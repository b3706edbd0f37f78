import type { Answer, Prompt, Script } from '@holdfast/stand-in';
import { memoryArchive } from 'holdfast';
import { expect, test } from 'vitest';
import type { ApiOptions, ExecutionResult, Tool } from '../src/index.ts';
import { APIS, refused, standing } from './apis.ts';

const CALLS = 8;
const ITERATIONS = 20;

/** A model that reads `CALLS` files in sequence for each prompt and then answers. */
const reader: Script = ({ messages }: Prompt): Answer => {
  const told = messages.flatMap(({ role, text }) =>
    role === 'user' ? [...text.matchAll(/^Iteration (\d+)$/gm)].map((match) => match[1]) : [],
  );
  const iteration = told.at(-1);
  const ids = messages
    .flatMap(({ calls }) => calls.map(({ id }) => id))
    .filter((id) => id.startsWith(`i${iteration}_`));
  const done = Math.max(-1, ...ids.map((id) => Number(id.split('_')[1]))) + 1;
  if (done >= CALLS) return { text: `Iteration ${iteration} is done.` };
  const next = { id: `i${iteration}_${done}`, name: 'read', input: { n: done } };
  return { thinking: 'Next.', text: `File ${done}.`, calls: [next] };
};

const read: Tool = {
  name: 'read',
  description: 'reads a file',
  input_schema: { type: 'object', properties: { n: { type: 'number' } } },
  run: (input) => `${JSON.stringify(input)} ${'line of a file\n'.repeat(150)}`,
};

test.each(APIS)(
  '$name: over twenty iterations state and requests stay bounded, and nothing is folded twice',
  async (api) => {
    const standIn = await standing({ script: reader, keep_bodies: 1_000 });
    const provider = api.provider(standIn, { model: api.models[0], tools: [read], system: 'Read.', thinking: true });
    // Refuses a second message under the handle of another.
    const archive = memoryArchive();
    const conversation = { max_messages: 40, preserve_last_n: 10 };
    let state: unknown;
    const sizes: number[] = [];
    const folds: number[] = [];
    for (let iteration = 1; iteration <= ITERATIONS; iteration++) {
      const result = await provider.execute(`Iteration ${iteration}`, {
        conversation,
        conversationState: state,
        archive,
      });
      expect(result).toMatchObject({ success: true, output: `Iteration ${iteration} is done.` });
      state = JSON.parse(JSON.stringify(result.conversationState));
      sizes.push(JSON.stringify(state).length);
      folds.push(result.folds ?? 0);
      expect(result.conversationMetrics?.messageCount).toBeLessThanOrEqual(41);
    }
    expect(refused(standIn)).toEqual([]);
    expect(folds.reduce((sum, n) => sum + n)).toBeGreaterThan(3);
    // It grows until the log has its eight folds, each with facts for a note of 3,400 tokens, and then no more.
    expect(Math.max(...sizes)).toBeLessThan(8 * 4 * 3_400);
    const bodies = standIn.requests.map(({ body }) => JSON.stringify(body ?? '').length);
    expect(Math.max(...bodies)).toBeLessThan(200_000);
  },
);

test.each(APIS)('$name: a restored, unchanged state sends the same view as before plus the new prompt', async (api) => {
  const standIn = await standing({ script: reader, keep_bodies: 1_000 });
  const provider = api.provider(standIn, { model: api.models[0], tools: [read], thinking: true });
  const options: ApiOptions = {
    conversation: { max_messages: api.name === 'openai-responses' ? 30 : 15, preserve_last_n: 6 },
  };
  const first = await provider.execute('Iteration 1', options);
  const before = standIn.requests.at(-1);
  const second = await provider.execute('Iteration 2', {
    ...options,
    conversationState: first.conversationState,
    max_requests: 1,
  });
  const after = standIn.requests.findLast(({ path }) => path === before?.path);
  expect(first.folds).toBe(1);
  expect(second.folds).toBe(0);
  const [old, now] = [before, after].map((request) => bare(request?.body));
  expect(now?.slice(0, old?.length)).toEqual(old);
});

/** The messages of a body without cache markers. */
function bare(body: unknown): unknown[] {
  const { messages, input, contents } = body as Readonly<Record<string, unknown[] | undefined>>;
  const plain = JSON.stringify(messages ?? input ?? contents, (key, value: unknown) =>
    key === 'cache_control' ? undefined : value,
  );
  // A marked text is in a block.
  return (JSON.parse(plain) as { content?: unknown }[]).map((message) =>
    typeof message.content === 'string' ? { ...message, content: [{ type: 'text', text: message.content }] } : message,
  );
}

test('thinking bound to other tools or another system prompt is not sent again', async () => {
  const [api] = APIS;
  const standIn = await standing({ script: reader });
  const provider = api?.provider(standIn, { model: 'claude-fable-5-2', tools: [read], thinking: true });
  const first = await provider?.execute('Iteration 1', { system: 'Read.' });
  const state = { conversationState: first?.conversationState };
  expect(JSON.stringify(state)).toContain('signature');
  const second = await provider?.execute('Iteration 2', { ...state, system: 'Read well.' });
  const third = await provider?.execute('Iteration 3', {
    conversationState: second?.conversationState,
    system: 'Read well.',
  });
  expect(refused(standIn)).toEqual([]);
  expect(third?.success).toBe(true);
});

test('a foreign state is refused with a clear message', async () => {
  const [api] = APIS;
  const standIn = await standing({});
  const result = (await api
    ?.provider(standIn)
    .execute('Hello.', { conversationState: [{ role: 'user' }] })) as ExecutionResult;
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(result.error).toContain('conversationState');
});

test.each(APIS)('$name: another model writes the summary, and its cost is counted', async (api) => {
  const asked: string[] = [];
  const script: Script = (prompt) => {
    if (prompt.tools.length > 0) return reader(prompt);
    asked.push(prompt.model);
    return { text: 'The files hold lines, nothing else.' };
  };
  const standIn = await standing({ script, keep_bodies: 1_000 });
  const provider = api.provider(standIn, { model: api.models[0], tools: [read], system: 'Read.' });
  const run = (summarize_on_trim: boolean) =>
    provider.execute('Iteration 1', {
      conversation: { max_messages: 10, preserve_last_n: 4, summarize_on_trim },
      summarization_model: api.models[1],
    });
  const plain = await run(false);
  const summed = await run(true);
  expect(summed.success).toBe(true);
  expect(new Set(asked)).toEqual(new Set([api.models[1]]));
  const bodies = JSON.stringify(standIn.requests.map(({ body }) => body));
  expect(bodies).toContain('The files hold lines');
  expect(summed.tokenUsage?.outputTokens).toBeGreaterThan(plain.tokenUsage?.outputTokens ?? 0);
});
