import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { chatViolations } from './validity.ts';

const system: ChatMessage = { role: 'system', content: 'Be brief.' };
const user: ChatMessage = { role: 'user', content: 'Go.' };
const calls = (...ids: string[]): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, function: { name: 'read', arguments: '{}' } })),
});
const result = (id: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content: 'ok' });

test('accepts calls followed by their results, in any order', () => {
  expect(chatViolations([system, user, calls('a', 'b'), result('b'), result('a'), calls('c'), result('c')])).toEqual(
    [],
  );
  expect(chatViolations([])).toEqual([]);
});

test('finds a call without its result', () => {
  expect(chatViolations([user, calls('a', 'b'), result('a'), user])).toEqual(['message 3: calls without result: b']);
  expect(chatViolations([user, calls('a')])).toEqual(['end: calls without result: a']);
});

test('finds a result without its call', () => {
  expect(chatViolations([user, result('a')])).toEqual(['message 1: result without call']);
  expect(chatViolations([user, calls('a'), result('a'), result('a')])).toEqual(['message 3: result without call']);
});

test('finds a conversation that does not begin with the user', () => {
  expect(chatViolations([system, { role: 'assistant', content: 'Hello' }, user])).toEqual(['starts with assistant']);
});
