import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateText, isStepCount, type LanguageModelUsage, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { type HoldfastEvent, holdfast } from '../src/ai-sdk/index.ts';
import { fileAt } from './scripted.ts';

type Generated = Extract<MockLanguageModelV4['doGenerate'], (...given: never[]) => unknown>;
type Prompt = Parameters<Generated>[0]['prompt'];

/** A model that reads `files` files and reports usage as a real one would. */
function reader(files: number, toolCallId = (n: number) => `call-${n}`) {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const calls = prompt.flatMap(({ role, content }) => (role === 'assistant' ? [...content] : []));
      const paths = calls.flatMap((part) => (part.type === 'tool-call' ? [(part.input as { path: string }).path] : []));
      const n = Math.max(0, ...paths.map((path) => Number.parseInt(path, 10))) + 1;
      const total = Math.ceil(JSON.stringify(prompt).length / 3.2);
      const isDone = n > files;
      return {
        content: isDone
          ? [{ type: 'text', text: 'Done.' }]
          : [
              {
                type: 'tool-call',
                toolCallId: toolCallId(n),
                toolName: 'read_file',
                input: JSON.stringify({ path: `${n}.ts` }),
              },
            ],
        finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total, noCache: total, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 20, text: 20, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}

const read_file = tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => fileAt(path) });

function run(mock: MockLanguageModelV4, onEvent: (event: HoldfastEvent) => void, more = {}) {
  const model = wrapLanguageModel({ model: mock, middleware: holdfast({ max_tokens: 12_000, onEvent }) });
  return generateText({
    model,
    prompt: 'Read all files.',
    tools: { read_file },
    stopWhen: isStepCount(100),
    ...more,
  });
}

const sizeOf = (prompt: Prompt) => JSON.stringify(prompt).length / 3.2;

test('finds a conversation by its messages, and keeps its folds although the system prompt changes', async () => {
  const mock = reader(60);
  const events: HoldfastEvent[] = [];
  let time = 0;
  await run(mock, (event) => events.push(event), {
    prepareStep: () => ({ instructions: `You read files. It is ${time++} o'clock.` }),
  });
  const prompts = mock.doGenerateCalls.map(({ prompt }) => prompt);
  expect(Math.max(...prompts.map(sizeOf))).toBeLessThan(12_000);
  const ids = new Set(events.map(({ conversation }) => conversation));
  expect(ids.size).toBe(1);
  expect(events.filter(({ type }) => type === 'fold-end').length).toBeLessThan(20);
  for (const [at, [system]] of prompts.entries()) expect(system?.content).toContain(`${at} o'clock`);
});

test('a provider whose calls all have the same id is bounded', async () => {
  const mock = reader(40, () => 'same');
  const events: HoldfastEvent[] = [];
  await run(mock, (event) => events.push(event));
  expect(Math.max(...mock.doGenerateCalls.map(({ prompt }) => sizeOf(prompt)))).toBeLessThan(12_000);
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
});

test('a note is made of parts, and the provider never sees our own option', async () => {
  const mock = reader(40);
  await run(mock, () => undefined, { providerOptions: { holdfast: { conversation: 'one' }, other: { kept: true } } });
  const notes = mock.doGenerateCalls.flatMap(({ prompt }) =>
    prompt.filter(({ content }) => JSON.stringify(content).includes('[Note on')),
  );
  expect(notes.length).toBeGreaterThan(5);
  for (const { content } of notes) expect(Array.isArray(content)).toBe(true);
  for (const { providerOptions } of mock.doGenerateCalls) expect(providerOptions).toEqual({ other: { kept: true } });
});

/** Asks with a conversation of 40 results; prints the events, and the prompt that the model got. */
const PROCESS = `
  import { sqlite } from '@holdfast/sessions';
  import { holdfast } from '@holdfast/integrations/ai-sdk';
  import { generateText, wrapLanguageModel } from 'ai';
  import { MockLanguageModelV4 } from 'ai/test';
  const [path, max_tokens] = process.argv.slice(1);
  const store = await sqlite(path);
  const events = [];
  const model = new MockLanguageModelV4({ doGenerate: async () => ({
    content: [{ type: 'text', text: 'Done.' }],
    finishReason: { unified: 'stop' },
    usage: { inputTokens: { total: 5_000 }, outputTokens: { total: 1 } },
    warnings: [],
  }) });
  const said = Array.from({ length: 40 }, (_, n) => {
    const call = { toolCallId: 'call-' + n, toolName: 'read_file' };
    return [
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: n + '.ts' } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'A line of it. '.repeat(200) + n } }] },
    ];
  });
  const middleware = holdfast({ max_tokens: Number(max_tokens), store, onEvent: ({ type }) => events.push(type) });
  const messages = [{ role: 'user', content: 'Read all files.' }, ...said.flat()];
  await generateText({ model: wrapLanguageModel({ model, middleware }), messages });
  await store.close();
  console.log(JSON.stringify({ events, prompt: model.doGenerateCalls[0].prompt }));
`;

test('another process sends the same view, from the store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-ai-sdk-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = (file: string, max_tokens: number) => {
    const args = ['--conditions=@holdfast/source', '--input-type=module', '--eval', PROCESS, '--'];
    const given = [join(folder, file), String(max_tokens)];
    return JSON.parse(
      execFileSync(process.execPath, [...args, ...given], { cwd: import.meta.dirname, encoding: 'utf8' }),
    );
  };
  const first = run('one.db', 12_000);
  expect(first.events).toEqual(['fold-end']);
  // With a larger budget nothing is folded, so everything that is shorter comes from the store.
  expect(run('one.db', 100_000)).toEqual({ events: [], prompt: first.prompt });
  expect(run('other.db', 100_000).prompt.length).toBeGreaterThan(first.prompt.length);
});

test('usage reaches the caller as the model reported it', async () => {
  const mock = reader(3);
  const { steps } = await run(mock, () => undefined);
  const reported: LanguageModelUsage[] = steps.map(({ usage }) => usage);
  expect(reported.map(({ inputTokens }) => inputTokens)).toEqual(
    mock.doGenerateCalls.map(({ prompt }) => Math.ceil(JSON.stringify(prompt).length / 3.2)),
  );
});

test('a store that cannot be opened never stops the agent: the messages go out as they came', async () => {
  const mock = reader(5);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const middleware = holdfast({ max_tokens: 12_000, store: Promise.reject(new Error('no disk')) });
  const model = wrapLanguageModel({ model: mock, middleware });
  const { text } = await generateText({ model, prompt: 'Read.', tools: { read_file }, stopWhen: isStepCount(9) });
  expect(text).toBe('Done.');
  expect(warn.mock.calls.at(-1)?.[0]).toContain('no disk');
});

test('an unknown handle is an answer for the model, not an error', async () => {
  const { recall } = holdfast({ max_tokens: 12_000 });
  const answer = await recall.execute?.(
    { handle: 'm1@nothing' },
    { toolCallId: 'one', messages: [], context: undefined },
  );
  expect(answer).toEqual([{ type: 'text', text: expect.stringContaining('not stored here') }]);
});
