import { expect, test } from 'vitest';
import { refusesThinking } from './refuses-thinking.ts';

test.each([
  ['anthropic', 'messages.1.content.0: Invalid `signature` in `thinking` block'],
  ['anthropic', 'messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`'],
  ['openai-responses', '{"error":{"code":"invalid_encrypted_content"}}'],
  ['gemini', 'Corrupted thought signature.'],
])('%s refuses thinking with its own words', (dialect, text) => {
  expect(refusesThinking(text, dialect)).toBe(true);
  expect(refusesThinking(text)).toBe(true);
  expect(refusesThinking(text, 'openai-chat')).toBe(false);
});

test('other errors are about something else', () => {
  expect(refusesThinking('prompt is too long: 210000 tokens > 200000 maximum')).toBe(false);
});
