import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { aiSdk, anthropic, openaiChat, openaiResponses } from '../src/index.ts';
import {
  type AnthropicMessage,
  type AnthropicRequest,
  missingThinking,
  validateAiSdk,
  validateAnthropic,
  validateOpenaiChat,
  validateOpenaiResponses,
} from '../src/rules/index.ts';

const value = fc.constantFrom(undefined, null, true, 0, 1.5, '', 'a');
const key = fc.constantFrom('a', 'type', 'text', 'data', 'ttl', 'length');
const anything = fc.anything({ key, values: [value], maxDepth: 2 });
const type = fc.oneof(
  anything,
  fc.constantFrom('text', 'tool_use', 'tool_result', 'thinking', 'image', 'document', 'server_tool_use'),
  fc.constantFrom('function_call', 'function_call_output', 'reasoning', 'message', 'tool-call', 'tool-result'),
);
const fields = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, anything]));
const block = fc.record(
  { type, ...fields('text', 'id', 'tool_use_id', 'name', 'input', 'content', 'source', 'signature', 'thinking') },
  { requiredKeys: [] },
);
const content = fc.oneof(anything, fc.array(fc.oneof(anything, block), { maxLength: 3 }));
const role = fc.oneof(anything, fc.constantFrom('user', 'assistant', 'system', 'tool', 'developer'));
const message = fc.oneof(
  anything,
  block,
  fc.record(
    { role, content, tool_calls: content, ...fields('tool_call_id', 'function_call') },
    { requiredKeys: ['role'] },
  ),
);
const request = fc.record(
  {
    system: content,
    tools: content,
    thinking: fc.oneof(anything, fc.record({ type: fc.constantFrom('adaptive', 'enabled'), block_binding: anything })),
    latest: message,
    part: fc.boolean(),
    ...fields('tool_choice', 'cache_control', 'max_tokens', 'betas', 'input_tokens', 'limit', 'bytes', 'model'),
    ...fields('signatures', 'open_calls', 'previous_response_id', 'conversation', 'store', 'id_length'),
  },
  { requiredKeys: [] },
);

const DIALECTS = [aiSdk(), anthropic(), openaiChat({ strict: true }), openaiResponses()] as const;
const VALIDATORS = { validateAiSdk, validateAnthropic, validateOpenaiChat, validateOpenaiResponses, missingThinking };

test.each([
  ...Object.entries(VALIDATORS),
  ...DIALECTS.map(({ name, validate }) => [`the validate of ${name}`, validate] as const),
])('%s never throws, whatever the input', (_, validate) => {
  const given = validate as (messages: readonly never[], request: object) => unknown;
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), request, (messages, facts) => {
      given(messages as never[], facts);
    }),
    { numRuns: SOAK ? 20_000 : 500 },
  );
});

test('a system prompt that is neither text nor a list is refused', () => {
  const messages: AnthropicMessage[] = [{ role: 'user', content: 'Hello.' }];
  const broken = { system: {} } as unknown as AnthropicRequest;
  expect(validateAnthropic(messages, broken)).toMatchObject([
    { index: -1, rule: 'bad-content', message: 'system: Input should be a valid string or list' },
  ]);
});

test('an answer whose content is not a list lacks its thinking', () => {
  const answer = { role: 'assistant', content: {} } as unknown as AnthropicMessage;
  expect(missingThinking([{ role: 'user', content: 'Hello.' }, answer])).toBe(1);
});
