import { describe, expect, test } from 'vitest';
import {
  OPENAI_RESPONSES_RULES,
  type OpenaiResponsesItem,
  type OpenaiResponsesRequest,
  type OpenaiResponsesRule,
  openaiResponsesError,
  validateOpenaiResponses,
} from '../../../rules/index.ts';
import { openaiResponses } from '../dialect.ts';
import { OPENAI_RESPONSES_MESSAGE_RULES } from '../rules.ts';
import { RESPONSES_FIELD_RULES } from './fields.ts';

type List = readonly OpenaiResponsesItem[];

/** One rule: what breaks it and how the API says so, and the nearest request that it takes. */
interface Row {
  readonly row: string;
  readonly rule: OpenaiResponsesRule;
  readonly rejected: List;
  readonly index: number;
  readonly message: string;
  readonly accepted: List;
  readonly param?: string;
  readonly code?: string;
  readonly status?: number;
  readonly request?: OpenaiResponsesRequest;
  readonly acceptedRequest?: OpenaiResponsesRequest;
}

const user: OpenaiResponsesItem = { role: 'user', content: 'hello' };
const said = (id = 'msg_1'): OpenaiResponsesItem => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'hi', annotations: [] }],
});
const call = (call_id: string, id?: string): OpenaiResponsesItem => ({
  type: 'function_call',
  call_id,
  name: 'read',
  arguments: '{}',
  ...(id === undefined ? {} : { id }),
});
const output = (call_id: string, content: unknown = 'done'): OpenaiResponsesItem => ({
  type: 'function_call_output',
  call_id,
  output: content,
});
const reasoning = (id = 'rs_1'): OpenaiResponsesItem => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content: 'gAAAAABoxyz=',
});
const odd = (json: string): OpenaiResponsesItem => JSON.parse(json);
const LONG = 'x'.repeat(65);

const rows: readonly Row[] = [
  {
    row: 'call without output',
    rule: 'unanswered-call',
    rejected: [user, call('call_X'), call('call_Y'), output('call_Y'), user],
    index: 1,
    message: 'No tool output found for function call call_X.',
    accepted: [user, call('call_X'), call('call_Y'), user, output('call_Y'), output('call_X')],
  },
  {
    row: 'call of another type without output',
    rule: 'unanswered-call',
    rejected: [user, { type: 'custom_tool_call', call_id: 'call_X', name: 'patch', input: '' }],
    index: 1,
    message: 'No tool output found for custom tool call call_X.',
    accepted: [
      user,
      { type: 'custom_tool_call', call_id: 'call_X', name: 'patch', input: '' },
      { type: 'custom_tool_call_output', call_id: 'call_X', output: 'done' },
    ],
  },
  {
    row: 'call of the previous response without output',
    rule: 'unanswered-call',
    request: { previous_response_id: 'resp_1', open_calls: ['call_X'] },
    rejected: [user],
    index: -1,
    message: 'No tool output found for function call call_X.',
    accepted: [output('call_X'), user],
  },
  {
    row: 'output without call',
    rule: 'orphan-result',
    rejected: [user, said(), output('call_X')],
    index: 2,
    message: 'No tool call found for function call output with call_id call_X.',
    accepted: [user, output('call_X')],
    acceptedRequest: { previous_response_id: 'resp_1' },
  },
  {
    row: 'output for a call other than the open one',
    rule: 'orphan-result',
    request: { previous_response_id: 'resp_1', open_calls: ['call_X'] },
    rejected: [output('call_X'), output('call_Y')],
    index: 1,
    message: 'No tool call found for function call output with call_id call_Y.',
    accepted: [output('call_X')],
  },
  {
    row: 'second output for a call',
    rule: 'double-result',
    rejected: [user, call('call_X'), output('call_X'), output('call_X')],
    index: 3,
    message: 'No tool call found for function call output with call_id call_X.',
    accepted: [user, call('call_X'), output('call_X'), call('call_X'), output('call_X')],
  },
  {
    row: 'two open calls with one call_id',
    rule: 'duplicate-call-id',
    rejected: [user, call('call_X'), call('call_X'), output('call_X')],
    index: 2,
    message: 'Duplicate function call found with call_id call_X.',
    accepted: [user, call('call_X'), call('call_Y'), output('call_Y'), output('call_X')],
  },
  {
    row: 'reasoning alone',
    rule: 'lone-reasoning',
    rejected: [user, reasoning(), user],
    index: 1,
    message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    accepted: [user, reasoning(), reasoning('rs_2'), said(), user],
  },
  {
    row: 'reasoning at the very end',
    rule: 'lone-reasoning',
    rejected: [user, reasoning()],
    index: 1,
    message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    accepted: [user, reasoning(), call('call_X'), output('call_X')],
  },
  {
    row: 'item lost its reasoning',
    rule: 'lost-reasoning',
    request: { reasoning: new Map([['fc_1', 'rs_1']]) },
    rejected: [user, call('call_X', 'fc_1'), output('call_X')],
    index: 1,
    message: "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    accepted: [user, reasoning(), call('call_X', 'fc_1'), output('call_X')],
  },
  {
    row: 'item without its id needs no reasoning',
    rule: 'lost-reasoning',
    request: { reasoning: new Map([['msg_1', 'rs_1']]) },
    rejected: [user, said('msg_1')],
    index: 1,
    message: "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'.",
    accepted: [user, { role: 'assistant', content: 'hi' }],
  },
  {
    row: 'unstored id',
    rule: 'unknown-item',
    request: { store: false },
    rejected: [user, { type: 'reasoning', id: 'rs_1', summary: [] }, said()],
    index: 1,
    message:
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    status: 404,
    accepted: [user, reasoning(), said()],
  },
  {
    row: 'reference to an unstored id',
    rule: 'unknown-item',
    request: { items: new Set(['msg_2']) },
    rejected: [user, { type: 'item_reference', id: 'msg_1' }],
    index: 1,
    message:
      "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    status: 404,
    accepted: [user, { id: 'msg_2' }],
  },
  {
    row: 'duplicate id',
    rule: 'duplicate-item-id',
    rejected: [user, call('call_X', 'fc_1'), output('call_X'), call('call_Y', 'fc_1'), output('call_Y')],
    index: 3,
    message: 'Duplicate item found with id fc_1.',
    accepted: [user, call('call_X', 'fc_1'), output('call_X'), call('call_Y', 'fc_2'), output('call_Y')],
  },
  {
    row: 'id prefix',
    rule: 'bad-item-id',
    rejected: [user, call('call_X', 'call_abc'), output('call_X')],
    index: 1,
    message: "Invalid 'input[1].id': 'call_abc'. Expected an ID that begins with 'fc'.",
    param: 'input[1].id',
    code: 'invalid_value',
    accepted: [user, call('call_X', 'fc_abc'), output('call_X')],
  },
  {
    row: 'id prefix of a message',
    rule: 'bad-item-id',
    rejected: [said('item_1')],
    index: 0,
    message: "Invalid 'input[0].id': 'item_1'. Expected an ID that begins with 'msg'.",
    param: 'input[0].id',
    code: 'invalid_value',
    accepted: [
      said('msg_1'),
      { type: 'local_shell_call', id: 'lsh_1', call_id: 'c', action: { type: 'exec', command: ['ls'] } },
      odd('{"type":"local_shell_call_output","id":"c","output":"{}"}'),
    ],
  },
  {
    row: 'id length',
    rule: 'long-id',
    rejected: [user, said(`msg_${LONG}`)],
    index: 1,
    message:
      "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with length 69 instead.",
    param: 'input[1].id',
    code: 'string_above_max_length',
    accepted: [user, said(`msg_${'x'.repeat(60)}`)],
  },
  {
    row: 'bad ciphertext',
    rule: 'bad-ciphertext',
    request: {
      ciphertext: (text) =>
        text === 'gAAAAABoxyz=' ? 'Encrypted content could not be decrypted or parsed.' : undefined,
    },
    rejected: [user, reasoning(), said()],
    index: 1,
    message:
      'The encrypted content gAAA...xyz= could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    code: 'invalid_encrypted_content',
    accepted: [user, { ...reasoning(), encrypted_content: 'gAAAAABoabc=' }, said()],
  },
  {
    row: 'stale parent',
    rule: 'unknown-response',
    request: { previous_response_id: 'resp_1', responses: new Set(['resp_2']) },
    rejected: [user],
    index: -1,
    message: "Previous response with id 'resp_1' not found.",
    param: 'previous_response_id',
    code: 'previous_response_not_found',
    accepted: [user],
    acceptedRequest: { previous_response_id: 'resp_2', responses: new Set(['resp_2']) },
  },
  {
    row: 'previous_response_id excludes conversation',
    rule: 'two-parents',
    request: { previous_response_id: 'resp_1', conversation: 'conv_1' },
    rejected: [user],
    index: -1,
    message: "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
    param: 'previous_response_id',
    code: 'mutually_exclusive_parameters',
    accepted: [user],
    acceptedRequest: { conversation: 'conv_1' },
  },
  {
    row: 'too long',
    rule: 'prompt-too-long',
    request: { input_tokens: 300_007, limit: 272_000 },
    rejected: [user],
    index: -1,
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    code: 'context_length_exceeded',
    accepted: [user],
    acceptedRequest: { input_tokens: 300_007, limit: 922_000 },
  },
  {
    row: 'a compaction trigger must be last',
    rule: 'misplaced-trigger',
    rejected: [user, { type: 'compaction_trigger' }, user],
    index: 1,
    message: "Invalid 'input[1]': 'compaction_trigger' must be the final input item.",
    param: 'input[1]',
    code: 'invalid_value',
    accepted: [
      user,
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' },
      user,
      { type: 'compaction_trigger' },
    ],
  },
  {
    row: 'a message without content; unknown kinds are left to the API',
    rule: 'bad-message',
    rejected: [user, { type: 'web_search_call', id: 'ws_1' }, odd('{"role":"user"}')],
    index: 2,
    message: "Missing required parameter: 'input[2].content'.",
    param: 'input[2].content',
    code: 'missing_required_parameter',
    accepted: [user, { type: 'web_search_call', id: 'ws_1' }, { type: 'a_kind_yet_to_come', role: 'user' }],
  },
  {
    row: 'an unknown role',
    rule: 'bad-message',
    rejected: [user, { role: 'wizard', content: 'hi' }],
    index: 1,
    message: "Invalid value: 'wizard'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    param: 'input[1].role',
    code: 'invalid_value',
    accepted: [user, { role: 'developer', content: 'hi' }],
  },
  {
    row: 'a call without call_id',
    rule: 'bad-message',
    rejected: [odd('{"type":"apply_patch_call_output"}')],
    index: 0,
    message: "Missing required parameter: 'input[0].call_id'.",
    param: 'input[0].call_id',
    code: 'missing_required_parameter',
    accepted: [
      { type: 'apply_patch_call', call_id: 'X', operation: { type: 'delete_file', path: 'a.ts' } },
      { type: 'apply_patch_call_output', call_id: 'X', status: 'completed' },
    ],
  },
  {
    row: 'no item at all',
    rule: 'bad-message',
    rejected: [odd('null')],
    index: 0,
    message: "Invalid type for 'input[0]': expected an object.",
    param: 'input[0]',
    code: 'missing_required_parameter',
    accepted: [],
  },
  {
    row: 'parts of the assistant are output',
    rule: 'part-type',
    rejected: [user, { role: 'assistant', content: [{ type: 'input_text', text: 'hi' }] }],
    index: 1,
    message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    param: 'input[1].content[0]',
    code: 'invalid_value',
    accepted: [user, { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }],
  },
  {
    row: 'parts of all others are input',
    rule: 'part-type',
    rejected: [
      user,
      call('X'),
      output('X', [
        { type: 'input_text', text: 'a' },
        { type: 'text', text: 'b' },
      ]),
    ],
    index: 2,
    message: "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
    param: 'input[2].output[1]',
    code: 'invalid_value',
    accepted: [user, call('X'), output('X', [{ type: 'input_image', image_url: 'https://a.b/c.png', detail: 'low' }])],
  },
  {
    row: 'an output has the shape of its type',
    rule: 'bad-output',
    rejected: [user, call('X'), output('X', { stdout: 'a' })],
    index: 2,
    message: "Invalid type for 'input[2].output': expected one of a string or array of objects.",
    param: 'input[2].output',
    code: 'invalid_type',
    accepted: [user, call('X'), output('X', '')],
  },
  {
    row: "a shell's output is a list",
    rule: 'bad-output',
    rejected: [
      { type: 'shell_call', call_id: 'X', action: { commands: ['ls'] } },
      { type: 'shell_call_output', call_id: 'X', output: 'a' },
    ],
    index: 1,
    message: "Invalid type for 'input[1].output': expected an array of objects.",
    param: 'input[1].output',
    code: 'invalid_type',
    accepted: [
      { type: 'shell_call', call_id: 'X', action: { commands: ['ls'] } },
      { type: 'shell_call_output', call_id: 'X', output: [{ stdout: 'a', stderr: '', outcome: { type: 'timeout' } }] },
    ],
  },
];

describe('validateOpenaiResponses', () => {
  test.each(rows)('$row', ({ rule, rejected, index, message, param = 'input', accepted, request, acceptedRequest }) => {
    expect(validateOpenaiResponses(rejected, request)).toEqual([
      { index, rule, message, param, fix: OPENAI_RESPONSES_RULES[rule] },
    ]);
    expect(validateOpenaiResponses(accepted, acceptedRequest ?? request)).toEqual([]);
  });

  test.each(rows.filter(({ rule }) => rule in OPENAI_RESPONSES_MESSAGE_RULES))(
    'the dialect alone finds: $row',
    ({ rejected, accepted, rule, index }) => {
      const { validate } = openaiResponses();
      expect(validate(rejected)).toEqual([{ index, rule, fix: OPENAI_RESPONSES_RULES[rule] }]);
      expect(validate(accepted)).toEqual([]);
    },
  );

  test('the dialect alone accepts what only pairing or a whole request can break', () => {
    const others = rows.filter(({ rule }) => !(rule in OPENAI_RESPONSES_MESSAGE_RULES));
    for (const { rejected } of others) expect(openaiResponses().validate(rejected)).toEqual([]);
  });

  test('every rule is in the table', () => {
    const shown = new Set(rows.map(({ rule }) => rule));
    const rules = Object.keys(OPENAI_RESPONSES_RULES).filter((rule) => !(rule in RESPONSES_FIELD_RULES));
    expect(rules.filter((rule) => !shown.has(rule as OpenaiResponsesRule))).toEqual([]);
  });

  test('a call_id may not be longer than an id', () => {
    expect(validateOpenaiResponses([call(LONG), output(LONG)])).toMatchObject([
      { index: 0, rule: 'long-id', param: 'input[0].call_id' },
      { index: 1, rule: 'long-id', param: 'input[1].call_id' },
    ]);
  });

  test('skips the total of a part, but not its pairs', () => {
    const part = { part: true, input_tokens: 2, limit: 1, open_calls: ['call_Z'] };
    expect(validateOpenaiResponses([said()], part)).toEqual([]);
    expect(validateOpenaiResponses([call('X'), user], part)).toMatchObject([{ index: 0, rule: 'unanswered-call' }]);
    expect(validateOpenaiResponses([output('X'), user], part)).toMatchObject([{ index: 0, rule: 'orphan-result' }]);
  });

  test('several violations are reported by item, those of the request last', () => {
    const broken = [output('X'), reasoning(), user, call('Y')];
    const found = validateOpenaiResponses(broken, { input_tokens: 2, limit: 1, open_calls: ['Z'] });
    expect(found.map(({ index, rule }) => [index, rule])).toEqual([
      [0, 'orphan-result'],
      [1, 'lone-reasoning'],
      [3, 'unanswered-call'],
      [-1, 'unanswered-call'],
      [-1, 'prompt-too-long'],
    ]);
  });

  test('accepts anything', () => {
    const strange = [
      '7',
      '"a"',
      '[]',
      '{}',
      '{"type":5}',
      '{"type":["function_call"]}',
      '{"role":3,"content":{}}',
      '{"type":"reasoning","id":4,"encrypted_content":8}',
      '{"type":"shell_call_output","call_id":{},"output":[null]}',
    ].map(odd);
    for (const item of strange) expect(() => validateOpenaiResponses([item, item])).not.toThrow();
    for (const item of strange) expect(() => openaiResponses().recognizes(item)).not.toThrow();
  });
});

test.each(rows)(
  'openaiResponsesError places it: $row',
  ({ rejected, request, message, param = 'input', code = null, status = 400 }) => {
    const [violation] = validateOpenaiResponses(rejected, request);
    expect(violation && openaiResponsesError(violation)).toEqual({
      status,
      error: { message, type: 'invalid_request_error', param, code },
    });
  },
);
