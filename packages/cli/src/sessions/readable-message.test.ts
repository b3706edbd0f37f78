import type { WireMessage } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { readableMessage, speakerOf } from './readable-message.ts';

const input = { path: 'a.ts', content: 'one\ntwo\n' };
const CALL = 'I write it.\n\n```\nwrite_file\npath: a.ts\ncontent:\none\ntwo\n```';
const words = 'I write it.';

const CALLS: Readonly<Record<string, WireMessage>> = {
  anthropic: {
    role: 'assistant',
    content: [
      { type: 'text', text: words },
      { type: 'tool_use', id: 'a', name: 'write_file', input },
    ],
  },
  'openai-chat': {
    role: 'assistant',
    content: words,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'write_file', arguments: JSON.stringify(input) } }],
  },
  gemini: { role: 'model', parts: [{ text: words }, { functionCall: { name: 'write_file', args: input } }] },
};

test.each(Object.entries(CALLS))('%s: a call is code, with each argument', (_, message) => {
  expect(readableMessage(message)).toBe(CALL);
});

const RESULTS: Readonly<Record<string, WireMessage>> = {
  anthropic: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '# done' }] },
  'openai-chat': { role: 'tool', tool_call_id: 'a', content: '# done' },
  'openai-responses': { type: 'function_call_output', call_id: 'a', output: '# done' },
};

test.each(Object.entries(RESULTS))('%s: a result is code, and no words of the user', (_, message) => {
  expect(speakerOf(message)).toBe('tool result');
  expect(readableMessage(message)).toBe('```\n# done\n```');
});

test('a result with backticks ends where it ends, and cannot affect a terminal', () => {
  const content = 'a\n```\nb\u001b[2J';
  const message = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] };
  expect(readableMessage(message)).toBe('````\na\n```\nb\n````');
});

test('words stay words; what the user said with a result is named as such', () => {
  const text = { type: 'text', text: 'go on' };
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'done' };
  expect(speakerOf({ role: 'user', content: [text] })).toBe('user');
  expect(readableMessage({ role: 'user', content: [text] })).toBe('go on');
  expect(speakerOf({ role: 'user', content: [result, text] })).toBe('user, with tool result');
  expect(readableMessage({ role: 'user', content: [result, text] })).toBe('done\ngo on');
  expect(speakerOf({ content: 1 })).toBe('message');
});
