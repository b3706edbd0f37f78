import { expect, test } from 'vitest';
import { type Answer, type Prompt, type PromptMessage, type PromptTool, toolLoop } from '../index.ts';

const script = toolLoop({ calls: 3, command: (n) => `seq ${n}` });

function tool(name: string, properties: Record<string, unknown>, required: readonly string[] = []): PromptTool {
  return { name, description: '', schema: { type: 'object', properties, required } };
}

function prompt(tools: readonly PromptTool[], messages: readonly PromptMessage[] = [], body = {}): Prompt {
  const asked: PromptMessage = { role: 'user', text: 'Run the loop.', calls: [], results: [] };
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.slice(last + 1).flatMap((message) => message.results);
  return { api: 'anthropic', model: 'm', system: '', messages: [asked, ...messages], tools, results, body };
}

const BASH = tool('Bash', { command: { type: 'string' }, description: { type: 'string' } }, ['command']);
const EXEC: PromptTool = {
  name: 'exec',
  kind: 'custom',
  description:
    'Run JavaScript.\ndeclare const tools: { exec_command(args: {\n  // Shell command.\n  cmd: string;\n}): … };',
  schema: {},
};

test.each<[string, PromptTool, unknown]>([
  ['Claude Code', BASH, { command: 'seq 1' }],
  ['a list of words', tool('shell', { command: { type: 'array' } }), { command: ['bash', '-lc', 'seq 1'] }],
  ['a list of commands', tool('run_commands', { commands: { type: 'array' } }), { commands: ['seq 1'] }],
  ['Codex', tool('exec_command', { cmd: { type: 'string' } }), { cmd: 'seq 1' }],
  ['Codex with programs', EXEC, 'text((await tools.exec_command({ cmd: "seq 1" })).output);'],
  ['a local shell', { ...tool('local_shell', {}), kind: 'local_shell' }, { command: ['bash', '-lc', 'seq 1'] }],
  [
    'Cline',
    tool('execute_command', { command: { type: 'string' }, requires_approval: { type: 'boolean' } }, [
      'command',
      'requires_approval',
    ]),
    { command: 'seq 1', requires_approval: false },
  ],
])('it runs a command in the shell of any client: %s', async (_, shell, input) => {
  const others = [tool('BashOutput', { id: { type: 'string' } }), tool('Read', { path: { type: 'string' } })];
  const { calls } = await script(prompt([...others, shell]));
  expect(calls).toEqual([{ id: 'call_loop_1', name: shell.name, input }]);
});

/** What a client sends back for an answer. */
function played({ text = '', calls = [] }: Answer, id?: string): PromptMessage[] {
  const made = calls.map(({ name, input }) => ({ id: id ?? calls[0]?.id ?? '', name, input }));
  return [
    { role: 'assistant', text, calls: made, results: [] },
    { role: 'user', text: '', calls: [], results: made.map((call) => ({ id: call.id, text: '1\n2', error: false })) },
  ];
}

test('it continues after the newest call that it sees, however much is folded away', async () => {
  const messages: PromptMessage[] = [];
  const commands: unknown[] = [];
  for (let round = 0; round < 3; round++) {
    // Only the newest turn is left of the conversation.
    const answer = await script(prompt([BASH], messages.slice(-2)));
    commands.push(answer.calls?.[0]?.input);
    messages.push(...played(answer));
  }
  expect(commands).toEqual([{ command: 'seq 1' }, { command: 'seq 2' }, { command: 'seq 3' }]);
  expect(await script(prompt([BASH], messages.slice(-2)))).toEqual({
    text: 'Stand-in, no model: done, all 3 calls were answered.',
  });
});

test('clients that rename calls are understood by the text', async () => {
  const first = played(await script(prompt([BASH])), 'chatcmpl-tool-1');
  expect(await script(prompt([BASH], first))).toMatchObject({ calls: [{ input: { command: 'seq 2' } }] });
});

test('a request for a summary gets one, and the loop continues from it', async () => {
  const made = played(await script(prompt([BASH])));
  const ask: PromptMessage = { role: 'user', text: 'Respond with TEXT ONLY: a summary.', calls: [], results: [] };
  const summary = await script(prompt([BASH], [...made, ask]));
  expect(summary.calls).toBeUndefined();
  const next: PromptMessage = { role: 'user', text: `The summary: ${summary.text}`, calls: [], results: [] };
  expect(await script(prompt([BASH], [next]))).toMatchObject({ calls: [{ input: { command: 'seq 2' } }] });
});

test('side requests get a short answer that fits', async () => {
  expect(await script(prompt([]))).toEqual({ text: 'Stand-in, no model.' });
  const properties = {
    title: { type: 'string' },
    kind: { enum: ['a', 'b'] },
    parts: { type: 'array', items: { type: 'integer' }, minItems: 1 },
    more: { type: 'string' },
  };
  const schema = { type: 'object', properties, required: ['title', 'kind', 'parts'] };
  const fits = { title: 'Stand-in, no model', kind: 'a', parts: [0] };
  for (const body of [
    { output_config: { format: { type: 'json_schema', schema } } },
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
    { text: { format: { type: 'json_schema', name: 'x', schema } } },
  ])
    expect(JSON.parse((await script(prompt([], [], body))).text ?? '')).toEqual(fits);
});

test('any tool may be called instead of the shell, and clients that wait for the end are notified', async () => {
  const search = toolLoop({
    calls: 1,
    command: () => ({ name: 'ToolSearch', input: { query: 'web' } }),
    completion: 'END',
  });
  const first = await search(prompt([BASH]));
  expect(first.calls).toEqual([{ id: 'call_loop_1', name: 'ToolSearch', input: { query: 'web' } }]);
  const done = tool('attempt_completion', { result: { type: 'string' } }, ['result']);
  const end = await search(prompt([BASH, done], played(first)));
  expect(end.calls).toMatchObject([{ name: 'attempt_completion', input: { result: expect.stringMatching(/END$/) } }]);
});
