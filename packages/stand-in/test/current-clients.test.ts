import { request } from 'node:http';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { type Prompt, toolLoop } from '../src/index.ts';
import { all, failureOf, running } from './running.ts';

const EDITING = 'context-management-2025-06-27';
const bash = { name: 'Bash', input_schema: { type: 'object' as const, properties: { command: { type: 'string' } } } };
const search = { name: 'ToolSearch', input_schema: { type: 'object' as const } };
const fetching = { name: 'WebFetch', description: 'x'.repeat(3200), input_schema: { type: 'object' as const } };

/** A request as Claude Code sends it. */
function asClaudeCode(more: object = {}): Anthropic.Beta.MessageCreateParamsNonStreaming {
  return {
    model: 'claude-opus-5-5',
    max_tokens: 1000,
    betas: [EDITING, 'per-turn-control-2026-07-01', 'advanced-tool-use-2025-11-20'],
    system: [{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }],
    thinking: { type: 'adaptive', display: 'omitted' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'medium' },
    metadata: { user_id: '{"session_id":"1"}' },
    tools: [bash, search],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Run the loop.' }] },
      { role: 'system', content: 'Environment.', output_config: { effort: 'medium' } },
    ],
    ...more,
  };
}

test('what Claude Code sends is answered, with the edits that were applied', async () => {
  const { anthropic } = await running({ script: toolLoop({ calls: 2, command: (n) => `seq ${n}` }) });
  const answer = await anthropic.beta.messages.create(asClaudeCode());
  expect(answer.context_management).toEqual({ applied_edits: [] });
  expect(answer.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'Bash', input: { command: 'seq 1' } });
  const events = await all(await anthropic.beta.messages.create({ ...asClaudeCode(), stream: true }));
  expect(events.find(({ type }) => type === 'message_delta')).toMatchObject({
    context_management: { applied_edits: [] },
  });
});

test('edits that the stand-in cannot apply are refused as its own limit', async () => {
  const { anthropic } = await running();
  const edits = [{ type: 'clear_tool_uses_20250919' }];
  const request = anthropic.beta.messages.create(asClaudeCode({ context_management: { edits } }));
  expect((await failureOf(request)).message).toContain('context_management.edits.0: the stand-in does not support');
});

test('a deferred tool costs nothing and is not seen until a reference loads it', async () => {
  const seen: Prompt[] = [];
  const { anthropic, standIn } = await running({
    script: (prompt) => {
      seen.push(prompt);
      return { text: 'Well.' };
    },
  });
  const deferred = { ...fetching, defer_loading: true };
  const tokens = async (more: object) => {
    const { usage } = await anthropic.beta.messages.create(asClaudeCode(more));
    return usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  };
  const without = await tokens({});
  expect(await tokens({ tools: [bash, search, deferred] })).toBe(without);
  expect(seen.at(-1)?.tools.map(({ name }) => name)).toEqual(['Bash', 'ToolSearch']);
  const found = [
    ...asClaudeCode().messages,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'A', name: 'ToolSearch', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'A', content: [{ type: 'tool_reference', tool_name: 'WebFetch' }] },
      ],
    },
  ];
  expect(await tokens({ tools: [bash, search, deferred], messages: found })).toBeGreaterThan(without + 1000);
  expect(seen.at(-1)?.tools.map(({ name }) => name)).toEqual(['Bash', 'ToolSearch', 'WebFetch']);
  const failed = await failureOf(anthropic.beta.messages.create(asClaudeCode({ messages: found })));
  expect(failed.message).toContain("Tool reference 'WebFetch' not found in available tools");
  expect(standIn.requests.at(-1)?.error?.rule).toBe('unknown-tool-reference');
});

test('the head of the prompt stays cached when deferred tools are added', async () => {
  const { anthropic } = await running({ script: () => ({ text: 'Well.' }) });
  const system = [{ type: 'text', text: 'You are an agent. '.repeat(500), cache_control: { type: 'ephemeral' } }];
  await anthropic.beta.messages.create(asClaudeCode({ system }));
  const tools = [bash, search, { ...fetching, defer_loading: true }];
  const { usage } = await anthropic.beta.messages.create(asClaudeCode({ system, tools }));
  expect(usage.cache_read_input_tokens).toBeGreaterThan(2000);
});

test('Claude Code may ask, without a key, whether the API is there', async () => {
  const { standIn } = await running();
  expect((await fetch(`${standIn.url}/api/hello`, { method: 'HEAD' })).status).toBe(200);
});

/** A request as Codex sends it: its tools are an item. */
const exec = {
  type: 'custom',
  name: 'exec',
  description: 'declare const tools: { exec_command(args: {\n  cmd: string;\n}): … };',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
};
const asCodex = {
  model: 'gpt-6-sol',
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'a',
  reasoning: { effort: 'medium', context: 'all_turns' },
  text: { verbosity: 'low' },
  client_metadata: { session_id: '1' },
  parallel_tool_calls: false,
};
const additional = {
  type: 'additional_tools',
  id: 'at_1',
  role: 'developer',
  tools: [{ type: 'namespace', name: 'functions', description: '', tools: [exec] }],
};
const asked = { type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] };

function codex(openai: OpenAI, input: readonly object[]) {
  return openai.responses.create({ ...asCodex, input } as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming);
}

test('what Codex sends is answered with calls of its custom tool, which come back with their outputs', async () => {
  const { openai } = await running({ script: toolLoop({ calls: 2, command: (n) => `seq ${n}` }) });
  const { output, usage } = await codex(openai, [additional, asked]);
  const call = output.at(-1);
  const input = 'text((await tools.exec_command({ cmd: "seq 1" })).output);';
  expect(call).toMatchObject({ type: 'custom_tool_call', name: 'exec', namespace: 'functions', input });
  const result = { type: 'custom_tool_call_output', call_id: 'call_loop_1', output: '1' };
  const next = await codex(openai, [additional, asked, ...output, result]);
  expect(next.output.at(-1)).toMatchObject({ call_id: 'call_loop_2' });
  const failed = await failureOf(codex(openai, [additional, asked, ...output]));
  expect(failed.message).toContain('No tool output found for custom tool call call_loop_1.');
  const fewer = await codex(openai, [asked]);
  expect(usage?.input_tokens).toBeGreaterThan(fewer.usage?.input_tokens ?? 0);
});

test('the input of a custom tool is streamed', async () => {
  const { openai } = await running({ script: toolLoop({ calls: 1, command: () => 'ls' }) });
  const body = { ...asCodex, stream: true, input: [additional, asked] };
  const events = await all(
    await openai.responses.create(body as unknown as OpenAI.Responses.ResponseCreateParamsStreaming),
  );
  const deltas = events.flatMap((one) => (one.type === 'response.custom_tool_call_input.delta' ? [one.delta] : []));
  const done = events.find((one) => one.type === 'response.custom_tool_call_input.done');
  expect(deltas.join('')).toBe('text((await tools.exec_command({ cmd: "ls" })).output);');
  expect(done).toMatchObject({ input: deltas.join('') });
});

test('another maker’s server takes max_tokens and gives reasoning, which it takes back', async () => {
  const { openai } = await running({ script: toolLoop({ calls: 2, command: (n) => `seq ${n}` }) });
  const tools = [{ type: 'function', function: { name: 'run_shell_command', parameters: bash.input_schema } }];
  const ask = (messages: readonly object[], model = 'qwen3-coder-plus') =>
    openai.chat.completions.create({
      model,
      messages,
      tools,
      max_tokens: 1000,
    } as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming);
  const go = { role: 'user', content: 'Go.' };
  const { message } = (await ask([go])).choices[0] ?? {};
  expect(message).toMatchObject({ reasoning_content: 'Call 1 of 2; 1 are left after it.' });
  const result = { role: 'tool', tool_call_id: 'call_loop_1', content: '1' };
  const next = await ask([go, message ?? {}, result]);
  expect(next.choices[0]?.message.tool_calls?.[0]).toMatchObject({ id: 'call_loop_2' });
  expect((await failureOf(ask([go], 'gpt-6-sol'))).message).toContain("'max_tokens' is not supported");
  const failed = await failureOf(ask([go, message ?? {}, result], 'gpt-4.1'));
  expect(failed.message).toContain("Unknown parameter: 'messages[1].reasoning_content'.");
});

test('a WebSocket is not served: 404, as for any path that is not there', async () => {
  const { standIn } = await running();
  const status = await new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', authorization: 'Bearer k' };
    const ask = request(`${standIn.url}/v1/responses`, { headers });
    ask.on('response', (response) => resolve(response.resume().statusCode)).on('upgrade', () => resolve('upgraded'));
    ask.on('error', reject).end();
  });
  expect(status).toBe(404);
});
