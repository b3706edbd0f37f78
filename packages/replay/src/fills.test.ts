import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { fillsOf } from './fills.ts';

const history: ChatMessage[] = [
  { role: 'system', content: 'rules' },
  { role: 'user', content: 'Fix it.' },
  { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'read', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'a', content: 'a long result' },
];
const size = ({ content }: ChatMessage) => content?.length ?? 1;

test('a view is filled by kind, with what the policy shortened, wrote and added at the end', () => {
  const [system, user, call, result] = history as [ChatMessage, ChatMessage, ChatMessage, ChatMessage];
  const none = { system: 0, user: 0, assistant: 0, results: 0, masked: 0, note: 0, reminders: 0 };
  expect(fillsOf(history, history, size)).toEqual({ ...none, system: 5, user: 7, assistant: 1, results: 13 });
  const masked = { ...result, content: 'a long' };
  const note: ChatMessage = { role: 'user', content: 'a note' };
  expect(fillsOf([system, note, call, masked], history, size)).toEqual({
    ...none,
    system: 5,
    note: 6,
    assistant: 1,
    masked: 6,
  });
  const reminded = { ...result, content: 'a long result\n\nb.ts' };
  const asked = { ...user, content: 'Fix it. c.ts' };
  expect(fillsOf([asked, call, reminded], history, size)).toEqual({
    ...none,
    user: 7,
    assistant: 1,
    results: 13,
    reminders: 11,
  });
});
