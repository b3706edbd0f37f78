import { codingTask } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { APIS, refused, standing } from './apis.ts';
import { fileTools, sources } from './file-tools.ts';

const CALLS = SOAK ? 300 : 32;
const BOUNDS = [{ max_messages: 30 }, { max_messages: 0, max_tokens: 20_000 }] as const;

const CASES = APIS.flatMap((api) =>
  api.models.flatMap((model, generation) =>
    BOUNDS.flatMap((conversation, at) =>
      (SOAK ? [true, false] : [(generation + at) % 2 === 0]).map((thinking) => ({
        api,
        model,
        conversation,
        thinking,
      })),
    ),
  ),
);

test.each(CASES)(
  '$api.name, $model, $conversation, thinking $thinking: the task completes, nothing is refused',
  async ({ api, model, conversation, thinking }) => {
    const folder = sources();
    const standIn = await standing({ script: codingTask(folder, { calls: CALLS, seed: 7, completion: '<DONE>' }) });
    const { tools, ran } = fileTools(folder);
    const provider = api.provider(standIn, { model, tools, system: 'You are a careful programmer.', thinking });
    const result = await provider.execute('Improve the sources.', { conversation });
    expect(refused(standIn)).toEqual([]);
    expect(result).toMatchObject({ success: true, iterationComplete: true, completionSignal: '<DONE>' });
    expect(ran.length).toBe(CALLS);
    expect(new Set(ran).size).toBe(CALLS);
  },
);

test.each(APIS)('$name: 50 tool calls at max_messages: 30', async (api) => {
  const folder = sources();
  const standIn = await standing({ script: codingTask(folder, { calls: 50, seed: 1 }), keep_bodies: 1_000 });
  const { tools, ran } = fileTools(folder);
  const provider = api.provider(standIn, { model: api.models[0], tools, system: 'You are a careful programmer.' });
  const result = await provider.execute('Improve the sources.', { conversation: { max_messages: 30 } });
  expect(result).toMatchObject({ success: true, iterationComplete: true });
  expect(ran.length).toBe(50);
  expect(refused(standIn)).toEqual([]);
  const most = Math.max(...standIn.requests.map(({ body }) => messagesOf(body)));
  expect(most).toBeLessThanOrEqual(30);
  expect(most).toBeGreaterThan(20);
});

/** Messages of a request, the system prompt not counted. */
function messagesOf(body: unknown): number {
  const { messages, input, contents } = (body ?? {}) as Readonly<Record<string, { role?: string }[]>>;
  return (messages ?? input ?? contents ?? []).filter(({ role }) => role !== 'system' && role !== 'developer').length;
}

test.each(APIS.flatMap((api) => api.models.map((model) => ({ api, model }))))(
  '$api.name, $model: old results are cut at each request, with thinking, and nothing is refused',
  async ({ api, model }) => {
    const folder = sources();
    const standIn = await standing({ script: codingTask(folder, { calls: 30, seed: 5 }), keep_bodies: 1_000 });
    const { tools, ran } = fileTools(folder);
    const provider = api.provider(standIn, { model, tools, system: 'You are a careful programmer.', thinking: true });
    const conversation = { strategy: 'governed', tool_output_trim_chars: 200 } as const;
    const result = await provider.execute('Improve the sources.', { conversation });
    expect(refused(standIn)).toEqual([]);
    expect(result).toMatchObject({ success: true, iterationComplete: true });
    expect(ran.length).toBe(30);
    expect(result.folds).toBeGreaterThan(8);
    expect(JSON.stringify(standIn.requests.at(-1)?.body)).toContain('[…truncated, ');
  },
);
