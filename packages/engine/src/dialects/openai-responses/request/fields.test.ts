import { expect, test } from 'vitest';
import { type OpenaiResponsesItem, openaiResponsesError, validateOpenaiResponses } from '../../../rules/index.ts';

const HELLO: OpenaiResponsesItem = { role: 'user', content: 'hello' };
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' };
const exec = { type: 'custom', name: 'exec', description: 'Runs a program.', format: grammar };
const wait = { type: 'function', name: 'wait', strict: false, parameters: { type: 'object' } };
const group = { type: 'namespace', name: 'functions', description: '', tools: [exec, wait] };
const additional = { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [group] };
const call = {
  type: 'custom_tool_call',
  id: 'ctc_1',
  call_id: 'X',
  name: 'exec',
  input: 'text(1)',
  status: 'completed',
};
const output = { type: 'custom_tool_call_output', call_id: 'X', output: [{ type: 'input_text', text: '1' }] };

function foundIn(body: Record<string, unknown>, items: readonly OpenaiResponsesItem[] = [HELLO]) {
  return validateOpenaiResponses(items, { body }).map((violation) => {
    const { error } = openaiResponsesError(violation);
    return [violation.rule, error.message, error.param, error.code];
  });
}

test('accepts what Codex sends', () => {
  const body = {
    model: 'gpt-6-sol',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'a',
    reasoning: { effort: 'medium', context: 'all_turns', summary: 'auto' },
    text: { verbosity: 'low' },
    client_metadata: { session_id: '1', 'x-codex-turn-metadata': '{}' },
    parallel_tool_calls: false,
    tool_choice: 'auto',
    tools: [wait, exec, { type: 'local_shell' }, { type: 'web_search', external_web_access: false }],
  };
  const shell: OpenaiResponsesItem[] = [
    { type: 'local_shell_call', id: 'lsh_1', call_id: 'Y', action: { type: 'exec', command: ['ls'], env: {} } },
    { type: 'local_shell_call_output', id: 'Y', output: '{}' },
  ];
  expect(foundIn(body, [additional, HELLO, { ...call, ...{ namespace: 'functions' } }, output, ...shell])).toEqual([]);
});

test.each<[Record<string, unknown>, string, string, string]>([
  [
    { reasoning: { effort: 'huge' } },
    "Invalid value: 'huge'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
    'reasoning.effort',
    'invalid_value',
  ],
  [
    { client_metadata: { a: 1 } },
    "Invalid type for 'client_metadata.a': expected a string, but got an integer instead.",
    'client_metadata.a',
    'invalid_type',
  ],
  [
    { tools: [{ type: 'function' }] },
    "Missing required parameter: 'tools[0].name'.",
    'tools[0].name',
    'missing_required_parameter',
  ],
  [
    { tools: [{ ...exec, format: { ...grammar, syntax: 'ebnf' } }] },
    "Invalid value: 'ebnf'. Supported values are: 'lark' and 'regex'.",
    'tools[0].format.syntax',
    'invalid_value',
  ],
  [
    { max_output_tokens: 1 },
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
    'max_output_tokens',
    'integer_below_min_value',
  ],
])('refuses a field of the wrong shape: %j', (body, message, param, code) => {
  expect(foundIn(body)).toEqual([['bad-field', message, param, code]]);
});

test('refuses unknown fields, in the body and in items', () => {
  expect(foundIn({ text: { tone: 'dry' } })).toEqual([
    ['unknown-parameter', "Unknown parameter: 'text.tone'.", 'text.tone', 'unknown_parameter'],
  ]);
  const named = { ...call, ...{ arguments: '{}' } };
  expect(foundIn({}, [HELLO, named, output])).toEqual([
    ['unknown-parameter', "Unknown parameter: 'input[1].arguments'.", 'input[1].arguments', 'unknown_parameter'],
  ]);
  const { input: _, ...empty } = call;
  expect(foundIn({}, [HELLO, empty, output])).toEqual([
    ['bad-field', "Missing required parameter: 'input[1].input'.", 'input[1].input', 'missing_required_parameter'],
  ]);
  expect(foundIn({}, [{ ...additional, role: 'user' }, HELLO])).toEqual([
    ['bad-field', "Invalid value: 'user'. Supported values are: 'developer'.", 'input[0].role', 'invalid_value'],
  ]);
});

test('any item may carry what Codex tells the server, in its own shape', () => {
  const told = { turn_id: 't', create_time: 1.5, content_item_kinds: ['user.text'], content_item_metadata: [{}] };
  const field = 'internal_chat_message_metadata_passthrough';
  const items = (value: unknown) => [HELLO, call, output].map((item) => ({ ...item, [field]: value }));
  expect(foundIn({}, items(told))).toEqual([]);
  expect(foundIn({}, items({ turn_id: 1 })).map(([rule, , param]) => [rule, param])).toEqual(
    [0, 1, 2].map((i) => ['bad-field', `input[${i}].${field}.turn_id`]),
  );
});

test('deferred tools and the search for them need each other', () => {
  const later = { ...wait, defer_loading: true };
  const search = { type: 'tool_search' };
  expect(foundIn({ tools: [later, search] })).toEqual([]);
  expect(foundIn({ tools: [later] }).map(([rule, message]) => [rule, message])).toEqual([
    ['deferred-without-search', "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search."],
  ]);
  expect(foundIn({ tools: [wait, search] }).map(([rule, message]) => [rule, message])).toEqual([
    [
      'search-without-deferred',
      "Invalid Value: 'tools.tool_search'. tools.tool_search requires at least one deferred tool.",
    ],
  ]);
  expect(foundIn({ tools: [wait, { ...search, execution: 'client', parameters: {} }] })).toEqual([]);
});
