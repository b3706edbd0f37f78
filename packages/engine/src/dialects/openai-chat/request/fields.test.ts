import { expect, test } from 'vitest';
import { type OpenaiChatMessage, openaiChatError, validateOpenaiChat } from '../../../rules/index.ts';

const HELLO: OpenaiChatMessage = { role: 'user', content: 'hello' };
const bash = { type: 'function', function: { name: 'bash', description: 'Runs.', parameters: { type: 'object' } } };

function foundIn(body: Record<string, unknown>, messages: readonly OpenaiChatMessage[] = [HELLO], vendor = false) {
  return validateOpenaiChat(messages, { body, vendor }).map((violation) => {
    const { message, param, code } = openaiChatError(violation);
    return [violation.rule, message, param, code];
  });
}

test('accepts what opencode, qwen-code and Cline send', () => {
  const body = {
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 8000,
    reasoning_effort: 'medium',
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [bash, { type: 'custom', custom: { name: 'patch', format: { type: 'text' } } }],
    response_format: { type: 'json_schema', json_schema: { name: 'title', schema: {}, strict: true } },
  };
  const answered: OpenaiChatMessage = { role: 'assistant', content: 'hi', refusal: null, ...{ annotations: [] } };
  expect(foundIn(body, [HELLO, answered, HELLO])).toEqual([]);
});

test.each<[Record<string, unknown>, string, string, string]>([
  [
    { stream_options: { include_usage: 1 } },
    "Invalid type for 'stream_options.include_usage': expected a boolean, but got an integer instead.",
    'stream_options.include_usage',
    'invalid_type',
  ],
  [
    { tools: [{ type: 'function', function: {} }] },
    "Missing required parameter: 'tools[0].function.name'.",
    'tools[0].function.name',
    'missing_required_parameter',
  ],
  [
    { verbosity: 'loud' },
    "Invalid value: 'loud'. Supported values are: 'low', 'medium', and 'high'.",
    'verbosity',
    'invalid_value',
  ],
])('refuses a field of the wrong shape: %j', (body, message, param, code) => {
  expect(foundIn(body)).toEqual([['bad-field', message, param, code]]);
});

test('only the servers of other makers take reasoning back, and their own fields', () => {
  const thought: OpenaiChatMessage = { role: 'assistant', content: 'hi', reasoning_content: 'Let me see.' };
  expect(foundIn({}, [HELLO, thought, HELLO])).toEqual([
    [
      'unknown-parameter',
      "Unknown parameter: 'messages[1].reasoning_content'.",
      'messages[1].reasoning_content',
      'unknown_parameter',
    ],
  ]);
  expect(foundIn({ enable_thinking: true }, [HELLO, thought, HELLO], true)).toEqual([]);
  expect(foundIn({ enable_thinking: 'yes' }, [HELLO], true)).toHaveLength(1);
  expect(foundIn({}, [HELLO, { ...thought, ...{ mood: 'good' } }, HELLO], true)).toHaveLength(1);
});
