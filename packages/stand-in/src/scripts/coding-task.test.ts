import { expect, test } from 'vitest';
import { type Agent, chatAgent, claudeAgent, responsesAgent, sources, toolsIn } from '../../test/agent.ts';
import { running } from '../../test/running.ts';
import { codingTask, type Prompt, type StandIn } from '../index.ts';
import { planTask } from './coding-plan.ts';

const FILES = Object.fromEntries(
  Array.from({ length: 12 }, (_, file) => [
    `src/part-${file}.ts`,
    Array.from({ length: 30 }, (_, line) => `export const value_${file}_${line} = ${file * line};`).join('\n'),
  ]),
);

type Clients = Awaited<ReturnType<typeof running>>;
const AGENTS: readonly (readonly [string, (clients: Clients) => Agent])[] = [
  ['Messages on claude-fable-5-2', ({ anthropic }) => claudeAgent(anthropic, 'claude-fable-5-2')],
  ['Messages on claude-sonnet-5', ({ anthropic }) => claudeAgent(anthropic, 'claude-sonnet-5')],
  ['Chat Completions', ({ openai }) => chatAgent(openai, 'gpt-6-sol')],
  ['Responses', ({ openai }) => responsesAgent(openai, 'gpt-6-sol')],
];

test.each(AGENTS)('a task of 120 calls completes over folded histories, nothing refused: %s', async (_, agent) => {
  const folder = sources(FILES);
  const clients = await running({ script: codingTask(folder, { calls: 120, seed: 7, completion: 'TASK_DONE' }) });
  const tools = toolsIn(folder);
  const { text, most } = await agent(clients)('Improve the sources.', tools.run);
  expect(text).toBe('Stand-in, no model: done, all 120 calls were answered.\nTASK_DONE');
  expect(tools.done.length).toBe(120);
  expect(new Set(tools.done).size).toBe(120);
  expect(refused(clients.standIn)).toEqual([]);
  expect(most).toBeLessThanOrEqual(60);
});

function refused({ requests }: StandIn): unknown[] {
  return requests.filter(({ verdict }) => verdict !== 'answered').map(({ error }) => error);
}

test('leftovers of a killed write do not change the task', () => {
  const left = { ...FILES, 'src/.holdfast-1-abcdef-0123456789ab.tmp': 'left' };
  expect(planTask(sources(left), 40, 1)).toEqual(planTask(sources(FILES), 40, 1));
});

test('the same request gets the same answer, and another seed another task', async () => {
  const folder = sources(FILES);
  const prompt: Prompt = { api: 'anthropic', model: '', system: '', messages: [], tools: [], results: [], body: {} };
  const [one, again, other] = [1, 1, 2].map((seed) => codingTask(folder, { seed })(prompt));
  expect(one).toEqual(again);
  expect(one).not.toEqual(other);
});

test('a call without a result is named, and a lost call is made again', async () => {
  const folder = sources(FILES);
  const script = codingTask(folder, { calls: 40, seed: 3 });
  const base = { api: 'anthropic', model: '', system: '', tools: [], body: {} } as const;
  let prompt: Prompt = { ...base, messages: [], results: [] };
  let answer = await script(prompt);
  // On to a step with several calls.
  while ((answer.calls ?? []).length < 2) {
    prompt = { ...base, ...answered(answer.calls ?? []) };
    answer = await script(prompt);
  }
  const calls = (answer.calls ?? []).map(({ id = '', name, input }) => ({ id, name, input }));
  const [first, ...rest] = calls;
  const part = answered(first ? [first] : []);
  expect((await script({ ...base, ...part })).calls?.map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
  // What came before them was folded, not lost: a stream breaks at its end.
  const next = await script({ ...base, ...answered(rest) });
  expect(next.calls?.some(({ id }) => id === first?.id)).toBe(false);
  expect((await script({ ...base, ...part, results: [] })).text).toContain(`there is no result for ${first?.id}`);
});

test('calls have the names and inputs of the tools that the request defines', async () => {
  const folder = sources(FILES);
  const script = codingTask(folder, { calls: 30, seed: 1 });
  const tool = (name: string, ...keys: string[]) => ({
    name,
    description: '',
    schema: { properties: Object.fromEntries(keys.map((key) => [key, { type: 'string' }])), required: keys },
  });
  const tools = [
    tool('View', 'file_path'),
    tool('Grep', 'regex'),
    tool('Bash', 'cmd'),
    tool('Edit', 'file_path', 'old', 'new'),
    tool('LS', 'dir'),
  ];
  const base = { api: 'anthropic', model: '', system: '', tools, body: {} } as const;
  let prompt: Prompt = { ...base, messages: [], results: [] };
  const seen = new Map<string, string[]>();
  for (;;) {
    const { calls = [] } = await script(prompt);
    for (const { name, input } of calls) seen.set(name, Object.keys(input as object));
    if (calls.length === 0) break;
    prompt = { ...base, ...answered(calls) };
  }
  expect(seen.get('View')).toEqual(['file_path']);
  expect(seen.get('Edit')).toEqual(['file_path', 'old', 'new']);
  expect(seen.get('Bash')).toEqual(['cmd']);
  expect([...seen.keys()].every((name) => tools.some((one) => one.name === name))).toBe(true);
});

/** A history of which nothing is left but the newest calls and their results. */
function answered(
  calls: readonly { id?: string; name: string; input: unknown }[],
): Pick<Prompt, 'messages' | 'results'> {
  const named = calls.map(({ id = '', name, input }) => ({ id, name, input }));
  const results = named.map(({ id }) => ({ id, text: 'ok', error: false }));
  return {
    messages: [
      { role: 'assistant', text: '', calls: named, results: [] },
      { role: 'user', text: '', calls: [], results },
    ],
    results,
  };
}
