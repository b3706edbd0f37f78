import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../../../../scripts/time-ratio.ts';
import {
  OPENAI_CHAT_RULES,
  type OpenaiChatMessage,
  type OpenaiChatRequest,
  type OpenaiChatRule,
  openaiChatError,
  validateOpenaiChat,
} from '../../../rules/index.ts';
import { FIELD_RULES } from '../../../rules/shape.ts';
import { openaiChat } from '../dialect.ts';
import { OPENAI_CHAT_MESSAGE_RULES } from '../rules.ts';

type List = readonly OpenaiChatMessage[];

/** One rule: what breaks it and how the API says so, and the nearest request that it takes. */
interface Row {
  readonly row: string;
  readonly rule: OpenaiChatRule;
  readonly rejected: List;
  readonly index: number;
  readonly message: string;
  readonly param: string;
  readonly code?: string;
  readonly accepted: List;
  readonly request?: OpenaiChatRequest;
  readonly acceptedRequest?: OpenaiChatRequest;
}

const user: OpenaiChatMessage = { role: 'user', content: 'hello' };
const calls = (...ids: string[]): OpenaiChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } })),
});
const tool = (id: string, content: OpenaiChatMessage['content'] = 'done'): OpenaiChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
});
const UNANSWERED =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ";

const rows: readonly Row[] = [
  {
    row: 'unanswered call',
    rule: 'unanswered-call',
    rejected: [user, calls('call_X', 'call_Y', 'call_Z'), tool('call_Y'), user],
    index: 1,
    message: `${UNANSWERED}call_X, call_Z`,
    param: 'messages.[1].role',
    accepted: [user, calls('call_X', 'call_Y'), tool('call_Y'), tool('call_X'), user],
  },
  {
    row: 'unanswered call at the very end',
    rule: 'unanswered-call',
    rejected: [user, calls('call_X')],
    index: 1,
    message: `${UNANSWERED}call_X`,
    param: 'messages.[1].role',
    accepted: [user, calls('call_X'), tool('call_X')],
  },
  {
    row: 'orphan tool message',
    rule: 'orphan-result',
    rejected: [user, { role: 'assistant', content: 'hi' }, user, tool('call_X')],
    index: 3,
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    param: 'messages.[3].role',
    accepted: [user, { role: 'assistant', content: 'hi' }, user, calls('call_X'), tool('call_X')],
  },
  {
    row: 'wrong id',
    rule: 'wrong-result-id',
    rejected: [user, calls('call_Y'), tool('call_Y'), tool('call_X')],
    index: 3,
    message: "Invalid parameter: 'tool_call_id' of 'call_X' not found in 'tool_calls' of previous message.",
    param: 'messages.[3].tool_call_id',
    accepted: [user, calls('call_Y', 'call_X'), tool('call_Y'), tool('call_X')],
  },
  {
    row: 'duplicate id: of two calls',
    rule: 'duplicate-call-id',
    rejected: [user, calls('X', 'X'), tool('X')],
    index: 1,
    message: "Duplicate value for 'tool_call_id' of X in message[1]",
    param: 'messages.[1].role',
    accepted: [user, calls('X'), tool('X'), calls('X'), tool('X')],
  },
  {
    row: 'duplicate id: of two results',
    rule: 'double-result',
    rejected: [user, calls('X'), tool('X'), tool('X')],
    index: 3,
    message: "Duplicate value for 'tool_call_id' of X in message[3]",
    param: 'messages.[3].role',
    accepted: [user, calls('X', 'Y'), tool('X'), tool('Y')],
  },
  {
    row: 'null content',
    rule: 'null-content',
    rejected: [user, { role: 'assistant', content: null }],
    index: 1,
    message: "Invalid value for 'content': expected a string, got null.",
    param: 'messages.[1].content',
    accepted: [user, calls('X'), tool('X', ''), { role: 'assistant', content: null, refusal: 'No.' }],
  },
  {
    row: 'null content of a tool message',
    rule: 'null-content',
    rejected: [user, calls('X'), tool('X', null)],
    index: 2,
    message: "Invalid value for 'content': expected a string, got null.",
    param: 'messages.[2].content',
    accepted: [user, calls('X'), tool('X', '')],
  },
  {
    row: 'long id',
    rule: 'long-call-id',
    rejected: [user, user, calls('x'.repeat(41)), tool('x'.repeat(41))],
    index: 2,
    message:
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
    param: 'messages[2].tool_calls[0].id',
    code: 'string_above_max_length',
    accepted: [user, user, calls('x'.repeat(40)), tool('x'.repeat(40))],
  },
  {
    row: 'long id: 64 via gateways',
    rule: 'long-call-id',
    request: { id_length: 64 },
    rejected: [user, calls('x'.repeat(65)), tool('x'.repeat(65))],
    index: 1,
    message:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    param: 'messages[1].tool_calls[0].id',
    code: 'string_above_max_length',
    accepted: [user, calls('x'.repeat(64)), tool('x'.repeat(64))],
  },
  {
    row: 'too long',
    rule: 'prompt-too-long',
    request: { input_tokens: 300007, limit: 272000 },
    rejected: [user],
    index: -1,
    message:
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300007 tokens. Please reduce the length of the messages.',
    param: 'messages',
    code: 'context_length_exceeded',
    accepted: [user],
    acceptedRequest: { input_tokens: 300007, limit: 922000 },
  },
  {
    row: 'tool content: string or text parts only',
    rule: 'result-content',
    rejected: [user, calls('X'), tool('X', [{ type: 'image_url', image_url: { url: 'data:image/png;base64,' } }])],
    index: 2,
    message: "Invalid value: 'image_url'. Supported values are: 'text'.",
    param: 'messages.[2].content',
    accepted: [user, calls('X'), tool('X', [{ type: 'text', text: 'done' }])],
  },
  {
    row: 'a role of another format; developer and system may be mixed',
    rule: 'bad-role',
    rejected: [user, { role: 'model', content: 'hi' }],
    index: 1,
    message:
      "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    param: 'messages.[1].role',
    accepted: [{ role: 'system', content: 'a' }, { role: 'developer', content: 'b' }, user],
  },
  {
    row: 'no message at all',
    rule: 'bad-message',
    rejected: JSON.parse('[null]'),
    index: 0,
    message: "Invalid type for 'messages[0]': expected an object.",
    param: 'messages.[0].role',
    accepted: [],
  },
];

describe('validateOpenaiChat', () => {
  test.each(rows)('$row', ({ rule, rejected, index, message, accepted, request, acceptedRequest }) => {
    expect(validateOpenaiChat(rejected, request)).toEqual([{ index, rule, message, fix: OPENAI_CHAT_RULES[rule] }]);
    expect(validateOpenaiChat(accepted, acceptedRequest ?? request)).toEqual([]);
  });

  test.each(rows.filter(({ rule }) => rule in OPENAI_CHAT_MESSAGE_RULES))(
    'the dialect alone finds: $row',
    ({ rejected, accepted }) => {
      const { validate } = openaiChat();
      expect(validate(rejected)).toEqual(validateOpenaiChat(rejected).map(({ message: _, ...violation }) => violation));
      expect(validate(accepted)).toEqual([]);
    },
  );

  test('the dialect alone accepts what only pairing or a whole request can break', () => {
    const others = rows.filter(({ rule }) => !(rule in OPENAI_CHAT_MESSAGE_RULES));
    for (const { rejected } of others) expect(openaiChat().validate(rejected)).toEqual([]);
  });

  test('takes time in proportion to the calls of a message, in any order of results', async () => {
    const check = (length: number) => {
      const ids = Array.from({ length }, (_, at) => `call_${at}`);
      const answers = ids.map((id) => tool(id)).reverse();
      return () => {
        expect(validateOpenaiChat([user, calls(...ids), ...answers])).toEqual([]);
        expect(validateOpenaiChat([user, calls(...ids)])).toMatchObject([{ index: 1, rule: 'unanswered-call' }]);
      };
    };
    expect(await timeRatio(check(20_000), check(2_000), { enough: 40 })).toBeLessThan(40);
  });

  test('every rule is in the table', () => {
    const shown = new Set(rows.map(({ rule }) => rule));
    const rules = Object.keys(OPENAI_CHAT_RULES).filter((rule) => !(rule in FIELD_RULES));
    expect(rules.filter((rule) => !shown.has(rule as OpenaiChatRule))).toEqual([]);
  });

  test('skips the total of a part, but not its pairs', () => {
    const part = { part: true, input_tokens: 2, limit: 1 };
    expect(validateOpenaiChat([{ role: 'assistant', content: 'hi' }], part)).toEqual([]);
    expect(validateOpenaiChat([calls('X'), user], part)).toMatchObject([{ index: 0, rule: 'unanswered-call' }]);
    expect(validateOpenaiChat([tool('X'), user], part)).toMatchObject([{ index: 0, rule: 'orphan-result' }]);
  });

  test('names a result for the wrong call and the call without one', () => {
    expect(validateOpenaiChat([user, calls('X'), tool('Y')])).toMatchObject([
      { index: 1, rule: 'unanswered-call' },
      { index: 2, rule: 'wrong-result-id' },
    ]);
  });
});

test.each(rows)('openaiChatError names the place: $row', ({ rejected, request, message, param, code = null }) => {
  const [violation] = validateOpenaiChat(rejected, request);
  expect(violation && openaiChatError(violation)).toEqual({ message, type: 'invalid_request_error', param, code });
});
