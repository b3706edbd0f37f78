import { defaultBudget, modelInfo, promptOf, tokensOf } from '@holdfast/models';
import { createProxy } from '@holdfast/proxy';
import { createStandIn, type Prompt, type StandIn, toolLoop } from '@holdfast/stand-in';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { project } from './project.ts';

// Nobody sets a budget here: a long task in each of our programs, and what the API counted.

const MODEL = 'claude-opus-5-5';
const CALLS = 40;
const PART = (n: number) =>
  Array.from({ length: 130 }, (_, i) => `part ${n}, line ${i}: ${'word '.repeat(8)}`).join('\n');
const FILES = Object.fromEntries(Array.from({ length: CALLS }, (_, i) => [`part-${i + 1}.txt`, PART(i + 1)]));
const TASK = '# TASK: Read\n\n## Goal\nRead every part.\n';

let standIn: StandIn;
beforeAll(async () => {
  const command = (n: number, { tools }: Prompt) =>
    tools.some(({ name }) => name === 'read_file')
      ? { name: 'read_file', input: { path: `part-${n}.txt` } }
      : `cat part-${n}.txt`;
  standIn = await createStandIn({ script: toolLoop({ calls: CALLS, command, completion: 'TASK_COMPLETE' }) });
});
afterAll(() => standIn.close());

let before = 0;
beforeEach(() => {
  before = standIn.requests.length;
});

const flags = () => ['--provider', 'anthropic-api', '--model', MODEL, '--base-url', standIn.url];

/** The default budget was reached, and never exceeded. */
function expectDefault(): void {
  const { tokens } = defaultBudget(modelInfo(MODEL));
  const asked = standIn.requests.slice(before);
  expect(asked.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
  const prompts = asked.flatMap(({ usage }) => {
    const used = tokensOf(usage);
    return used ? [promptOf(used)] : [];
  });
  expect(prompts.length).toBeGreaterThan(CALLS);
  expect(Math.max(...prompts)).toBeLessThanOrEqual(tokens);
  expect(prompts.some((size, i) => size < (prompts[i - 1] ?? 0) / 2)).toBe(true);
}

test('run', async () => {
  const there = project({ ...FILES, 'TASK.md': TASK });
  const { code, stderr } = await there.holdfast('run', 'TASK.md', ...flags());
  expect(code, stderr).toBe(0);
  expectDefault();
});

test('chat', async () => {
  const there = project(FILES);
  const { code, stderr } = await there.holdfast('chat', '-p', 'Read every part.', ...flags());
  expect(code, stderr).toBe(0);
  expectDefault();
});

test('crew run', async () => {
  const crew = `entry: reader
agents: { reader: { role: Read., tools: [bash], terminal: true } }
tools:
  bash: { about: Runs a command., command: [sh, -c, 'eval "$1"', sh, '{command}'], arguments: { command: The command. } }
`;
  const there = project({ ...FILES, 'crew.yml': crew });
  const { code, stdout, stderr } = await there.holdfast('crew', 'run', 'crew.yml', 'Read every part.', ...flags());
  expect(code, stdout + stderr).toBe(0);
  expectDefault();
});

test('proxy', async () => {
  const proxy = createProxy({ port: 0, upstreams: { anthropic: standIn.url } });
  await proxy.listen();
  onTestFinished(() => proxy.close());
  const tools = [{ name: 'bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } }];
  const messages: object[] = [{ role: 'user', content: 'Read every part.' }];
  for (let n = 0; n <= CALLS; n++) {
    const response = await fetch(`${proxy.url}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: MODEL, max_tokens: 1_000, tools, messages }),
    });
    expect(response.status, await response.clone().text()).toBe(200);
    const { content } = (await response.json()) as { content: { type: string; id: string }[] };
    const calls = content.filter(({ type }) => type === 'tool_use');
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: PART(n + 1) }));
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
  expectDefault();
});

test('config shows the default budget and why, and a budget that is too small is refused with the smallest', async () => {
  const there = project({});
  const { tokens, why } = defaultBudget(modelInfo(MODEL));
  const { stdout } = await there.holdfast('config', '--model', MODEL);
  expect(stdout).toContain(`# max_tokens: ${tokens}, ${why}`);
  const unknown = JSON.parse((await there.holdfast('config', '--model', 'our-own', '--json')).stdout);
  expect(unknown.budget.why).toBe('the default: our-own is not in the model table');
  there.write('holdfast.yml', 'execution: { conversation: { max_tokens: 70000 } }\n');
  const own = JSON.parse((await there.holdfast('config', '--model', MODEL, '--json')).stdout);
  expect(own.budget).toEqual({ tokens: 70_000, why: 'as configured' });
  there.write('holdfast.yml', 'execution: { conversation: { max_tokens: 100 } }\n');
  const file = await there.holdfast('config');
  expect(file.stderr).toContain(
    'execution.conversation.max_tokens is 100: expected 0, or at least 2000 tokens, because',
  );
  const flag = await there.holdfast('proxy', '--budget', '100');
  expect([flag.code, flag.stderr]).toEqual([
    2,
    expect.stringContaining('invalid --budget "100": expected at least 2000 tokens, because'),
  ]);
});
