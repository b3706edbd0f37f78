import { expect, test } from 'vitest';
import { type AnthropicMessage, type AnthropicRequest, validateAnthropic } from '../../../rules/index.ts';
import { ANTHROPIC_FIELD_RULES } from './rules.ts';

const HELLO: readonly AnthropicMessage[] = [{ role: 'user', content: 'hello' }];
const EXTRA = 'Extra inputs are not permitted';
const EDITING = ['context-management-2025-06-27'];
const THINKS = { thinking: { type: 'adaptive' } };
const keepAll = { type: 'clear_thinking_20251015', keep: 'all' };
const clearTools = {
  type: 'clear_tool_uses_20250919',
  trigger: { type: 'input_tokens', value: 50_000 },
  keep: { type: 'tool_uses', value: 3 },
  clear_at_least: { type: 'input_tokens', value: 5000 },
  exclude_tools: ['web_search'],
  clear_tool_inputs: false,
};

function foundIn(request: AnthropicRequest, messages = HELLO) {
  return validateAnthropic(messages, request).map(({ rule, message }) => [rule, message]);
}

test.each<[string, AnthropicRequest]>([
  ['edits', { ...THINKS, betas: EDITING, context_management: { edits: [keepAll, clearTools] } }],
  ['no edits', { betas: EDITING, context_management: null }],
  [
    'a number of thinking turns',
    {
      betas: EDITING,
      ...THINKS,
      context_management: { edits: [{ ...keepAll, keep: { type: 'thinking_turns', value: 2 } }] },
    },
  ],
  ['effort', { output_config: { effort: 'medium' } }],
  ['a format', { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }],
  ['a task budget', { output_config: { task_budget: { type: 'tokens', total: 20_000 } } }],
  ['a thread', { betas: ['message-threads-2026-08-12'], thread: { type: 'continue', previous_message_id: 'msg_1' } }],
  ['MCP servers', { betas: ['mcp-client-2025-11-20'], mcp_servers: [{ type: 'url', name: 'a', url: 'https://a.b' }] }],
  ['metadata', { metadata: { user_id: '{"session_id":"1"}' } }],
  ['hidden thinking', { thinking: { type: 'adaptive', ...{ display: 'omitted' } } }],
  ['a choice of tool', { tool_choice: { type: 'auto', ...{ disable_parallel_tool_use: true } } }],
  [
    'a tool search',
    {
      tools: [
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
        { name: 'a', defer_loading: true },
      ],
    },
  ],
  [
    'MCP toolsets',
    { tools: [{ type: 'mcp_toolset', ...{ mcp_server_name: 'a', default_config: { defer_loading: true } } }] },
  ],
])('accepts %s', (_, request) => {
  expect(foundIn(request)).toEqual([]);
});

test.each<[AnthropicRequest, string]>([
  [
    { context_management: { edits: [{ type: 'clear_all' }] } },
    "context_management.edits.0: Input tag 'clear_all' found using 'type' does not match any of the expected tags: 'clear_thinking_20251015', 'clear_tool_uses_20250919', 'compact_20260112'",
  ],
  [
    { context_management: { edits: [{ ...clearTools, keep: 3 }] } },
    'context_management.edits.0.clear_tool_uses_20250919.keep: Input should be a valid dictionary',
  ],
  [
    { context_management: { edits: [{ ...clearTools, trigger: { type: 'tool_uses', value: 0 } }] } },
    'context_management.edits.0.clear_tool_uses_20250919.trigger.tool_uses.value: Input should be greater than or equal to 1',
  ],
  [{ context_management: [] }, 'context_management: Input should be a valid dictionary'],
  [
    { output_config: { effort: 'huge' } },
    "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
  ],
  [{ output_config: { format: { type: 'json_schema' } } }, 'output_config.format.schema: Field required'],
  [{ thread: { type: 'continue' } }, 'thread.continue.previous_message_id: Field required'],
  [{ mcp_servers: [{ type: 'url', name: 'a', url: 1 }] }, 'mcp_servers.0.url: Input should be a valid string'],
  [{ metadata: { user_id: 7 } }, 'metadata.user_id: Input should be a valid string'],
  [
    { thinking: { type: 'adaptive', ...{ display: 'all' } } },
    "thinking.adaptive.display: Input should be 'summarized', 'omitted' or 'updates'",
  ],
  [{ tools: [{ name: 'a', defer_loading: 'yes' }] }, 'tools.0.custom.defer_loading: Input should be a valid boolean'],
])('refuses a field of the wrong shape: %j', (request, message) => {
  expect(foundIn(request)).toEqual([['bad-field', message]]);
});

test.each<[AnthropicRequest, string]>([
  [{ betas: [], context_management: {} }, `context_management: ${EXTRA}`],
  [{ betas: EDITING, thread: { type: 'create' } }, `thread: ${EXTRA}`],
  [{ betas: EDITING, mcp_servers: [] }, `mcp_servers: ${EXTRA}`],
  [{ metadata: { team: 'a' } }, `metadata.team: ${EXTRA}`],
  [{ output_config: { verbosity: 'low' } }, `output_config.verbosity: ${EXTRA}`],
])('refuses a field that is unknown without a beta header, or at all: %j', (request, message) => {
  expect(foundIn(request)).toEqual([['extra-field', message]]);
});

test('clearing thinking needs thinking, and comes first', () => {
  const context_management = { edits: [keepAll] };
  expect(foundIn({ model: {}, context_management })).toEqual([
    ['edit-without-thinking', '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive'],
  ]);
  expect(foundIn({ model: {}, ...THINKS, context_management: { edits: [clearTools, keepAll] } })).toEqual([
    ['edit-order', 'context_management.edits.1: `clear_thinking_20251015` must be the first edit'],
  ]);
});

test('a system message may set its own effort, with a beta header', () => {
  const talk = (more: object): AnthropicMessage[] => [...HELLO, { role: 'system', content: 'Note.', ...more }];
  const allowed = { betas: ['per-turn-control-2026-07-01'] };
  expect(foundIn(allowed, talk({ output_config: { effort: 'low' } }))).toEqual([]);
  expect(foundIn({ betas: [] }, talk({ output_config: { effort: 'low' } }))).toEqual([
    ['extra-field', `messages.1.output_config: ${EXTRA}`],
  ]);
  expect(foundIn(allowed, talk({ output_config: { format: {} } }))).toEqual([
    ['extra-field', `messages.1.output_config.format: ${EXTRA}`],
  ]);
  const [hello] = HELLO;
  expect(foundIn(allowed, [{ role: 'user', content: 'a', ...hello, output_config: {} }])).toEqual([
    ['extra-field', `messages.0.output_config: ${EXTRA}`],
  ]);
});

test('a system message that only sets the effort needs no content', () => {
  const allowed = { betas: ['per-turn-control-2026-07-01'] };
  const silent = (more: object): AnthropicMessage[] => [...HELLO, { role: 'system', content: [], ...more }];
  expect(foundIn(allowed, silent({ output_config: { effort: 'low' } }))).toEqual([]);
  for (const more of [{}, { output_config: {} }])
    expect(foundIn(allowed, silent(more))).toMatchObject([
      ['empty-message', expect.stringMatching(/^messages\.1: all/)],
    ]);
});

test('a reference loads a tool that the request defines', () => {
  const reference = { type: 'tool_reference', tool_name: 'WebFetch' };
  const found = (content: unknown): AnthropicMessage[] => [
    ...HELLO,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'A', name: 'ToolSearch', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'A', content }] },
  ];
  const search = { name: 'ToolSearch' };
  const fetch = { name: 'WebFetch', defer_loading: true };
  expect(foundIn({ tools: [search, fetch] }, found([reference]))).toEqual([]);
  const missing = ['unknown-tool-reference', "Tool reference 'WebFetch' not found in available tools"];
  expect(foundIn({ tools: [search] }, found([reference]))).toEqual([missing]);
  const searched = { type: 'tool_search_tool_search_result', tool_references: [reference] };
  const byServer: AnthropicMessage[] = [
    ...HELLO,
    {
      role: 'assistant',
      content: [
        { type: 'server_tool_use', id: 'B', name: 'tool_search_tool_regex', input: {} },
        { type: 'tool_search_tool_result', tool_use_id: 'B', content: searched },
      ],
    },
    { role: 'user', content: 'go' },
  ];
  expect(foundIn({ tools: [search] }, byServer)).toEqual([missing]);
  expect(foundIn({ tools: [fetch] })).toEqual([
    ['all-tools-deferred', 'All tools have defer_loading set. At least one tool must be non-deferred.'],
  ]);
});

test('only a system message changes the tools, with a beta header', () => {
  const change = (role: string, tool: unknown): AnthropicMessage[] => [
    ...HELLO,
    { role, content: [{ type: 'tool_addition', tool }] },
  ];
  const allowed = { betas: ['mid-conversation-tool-changes-2026-07-01'] };
  const fetch = { type: 'tool_reference', name: 'WebFetch' };
  expect(foundIn(allowed, change('system', fetch))).toEqual([]);
  const place = 'messages.1.content.0';
  const unknown = `${place}: Input tag 'tool_addition' found using 'type' does not match any of the expected tags`;
  expect(foundIn(allowed, change('user', fetch))).toEqual([['bad-field', unknown]]);
  expect(foundIn({ betas: [] }, change('system', fetch))).toEqual([['bad-field', unknown]]);
  expect(foundIn(allowed, change('system', { type: 'tool_reference' }))).toEqual([
    ['bad-field', `${place}.tool_addition.tool.tool_reference.name: Field required`],
  ]);
});

test('every rule for fields is tested here', () => {
  expect(Object.keys(ANTHROPIC_FIELD_RULES).sort()).toEqual([
    'all-tools-deferred',
    'bad-field',
    'edit-order',
    'edit-without-thinking',
    'unknown-tool-reference',
  ]);
});
