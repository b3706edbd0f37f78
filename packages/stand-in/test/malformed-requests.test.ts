import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { running } from './running.ts';

const betas = 'context-management-2025-06-27,message-threads-2026-08-12,mcp-client-2025-11-20';
const key = { authorization: 'Bearer k', 'anthropic-version': '2023-06-01', 'anthropic-beta': betas };
const roles = fc.constantFrom('user', 'assistant', 'system', 'tool', 'developer');
const types = fc.constantFrom(
  ...['text', 'tool_use', 'tool_result', 'thinking', 'image', 'function_call', 'reasoning', 'tool_reference'],
  ...['custom_tool_call', 'additional_tools', 'tool_search_output', 'tool_search_tool_result', 'local_shell_call'],
  ...['clear_thinking_20251015', 'clear_tool_uses_20250919', 'tool_addition'],
);
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, '', 'a', [], {}));
const part = fc.oneof(
  odd,
  fc.record(
    {
      type: types,
      text: odd,
      id: odd,
      tool_use_id: odd,
      call_id: odd,
      name: odd,
      input: odd,
      content: odd,
      source: odd,
      signature: odd,
      output: odd,
      action: odd,
      tools: odd,
      tool_name: odd,
      keep: odd,
      trigger: odd,
      cache_control: odd,
    },
    { requiredKeys: ['type'] },
  ),
);
const message = fc.oneof(
  odd,
  part,
  fc.record(
    { role: roles, content: fc.oneof(odd, fc.array(part, { maxLength: 3 })), tool_calls: odd, tool_call_id: odd },
    { requiredKeys: ['role'] },
  ),
);
const fields = fc.record(
  {
    system: odd,
    tools: odd,
    thinking: odd,
    tool_choice: odd,
    instructions: odd,
    cache_control: odd,
    stream_options: odd,
    context_management: fc.oneof(odd, fc.record({ edits: fc.oneof(odd, fc.array(part, { maxLength: 2 })) })),
    output_config: fc.oneof(odd, fc.record({ effort: odd, format: odd }, { requiredKeys: [] })),
    thread: fc.oneof(odd, fc.record({ type: fc.constantFrom('create', 'continue'), previous_message_id: odd })),
    mcp_servers: odd,
    metadata: odd,
    client_metadata: odd,
    include: odd,
    reasoning: odd,
    text: odd,
    response_format: odd,
    reasoning_effort: odd,
  },
  { requiredKeys: [] },
);

test('any request is answered or refused; the server never fails', async () => {
  const { standIn } = await running();
  const ends = [
    ['messages', 'claude-opus-5-5', 'messages'],
    ['messages/count_tokens', 'claude-haiku-4-5', 'messages'],
    ['chat/completions', 'gpt-6-sol', 'messages'],
    ['responses', 'gpt-5.2', 'input'],
  ] as const;
  const body = fc.tuple(fc.constantFrom(...ends), fc.array(message, { maxLength: 4 }), fields);
  await fc.assert(
    fc.asyncProperty(body, async ([[path, model, list], messages, more]) => {
      const counts = path.endsWith('count_tokens');
      const sent = {
        model,
        [list]: messages,
        ...(path.startsWith('messages') && !counts && { max_tokens: 9 }),
        ...known(path, more),
      };
      const response = await fetch(`${standIn.url}/v1/${path}`, {
        method: 'POST',
        headers: key,
        body: JSON.stringify(sent),
      });
      const text = await response.text();
      expect([200, 400, 404], text).toContain(response.status);
    }),
    SOAK ? { numRuns: 5_000 } : { numRuns: 400, seed: 20261115 },
  );
});

/** The fields that the path takes, so that most requests come further than that check. */
function known(path: string, more: Record<string, unknown>): Record<string, unknown> {
  const own = {
    chat: ['tools', 'tool_choice', 'stream_options', 'metadata', 'response_format', 'reasoning_effort'],
    resp: ['tools', 'tool_choice', 'instructions', 'client_metadata', 'include', 'reasoning', 'text', 'metadata'],
  }[path.slice(0, 4)];
  const counted = [
    'system',
    'tools',
    'thinking',
    'tool_choice',
    'cache_control',
    'context_management',
    'output_config',
  ];
  const keys = own ?? (path === 'messages' ? [...counted, 'thread', 'mcp_servers', 'metadata'] : counted);
  return Object.fromEntries(Object.entries(more).filter(([name]) => keys.includes(name)));
}

test('OpenAI’s paths answer as OpenAI does, whatever headers a client sends', async () => {
  const { standIn } = await running();
  for (const path of ['/v1/chat/completions', '/v1/responses']) {
    const response = await fetch(`${standIn.url}${path}`, { method: 'POST', headers: key, body: '{}' });
    const body = (await response.json()) as { type?: string; error: { message: string; type: string } };
    expect([response.status, body.type, body.error.type]).toEqual([400, undefined, 'invalid_request_error']);
    expect(response.headers.get('x-request-id')).not.toBeNull();
  }
});

test('a body or arguments nested thousands of levels deep are refused or answered, never a failure', async () => {
  const { standIn } = await running();
  const deep = `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`;
  const called = JSON.stringify(deep);
  const post = async (path: string, body: string) => {
    const response = await fetch(`${standIn.url}/v1/${path}`, { method: 'POST', headers: key, body });
    return [response.status, await response.text()] as const;
  };
  const use = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":${deep}}]}`;
  const result = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"r"}]}';
  for (const path of ['messages', 'messages/count_tokens']) {
    const most = path === 'messages' ? '"max_tokens":9,' : '';
    const body = `{"model":"claude-haiku-4-5",${most}"messages":[{"role":"user","content":"u"},${use},${result}]}`;
    expect(await post(path, body)).toEqual([400, expect.stringContaining('nested too deeply')]);
  }
  const chat = `{"model":"gpt-5.2","messages":[{"role":"user","content":"u"},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"n","arguments":${called}}}]},{"role":"tool","tool_call_id":"c","content":"r"}]}`;
  expect(await post('chat/completions', chat)).toEqual([200, expect.anything()]);
  const items = `{"model":"gpt-5.2","input":[{"role":"user","content":"u"},{"type":"function_call","call_id":"c","name":"n","arguments":${called}},{"type":"function_call_output","call_id":"c","output":"r"}]}`;
  expect(await post('responses', items)).toEqual([200, expect.anything()]);
});
