import { expect, test } from 'vitest';
import { headLength, markHead } from './fixed-head.ts';

const tools = { type: 'additional_tools', role: 'developer', tools: [] };
const system = { role: 'system', content: 'Be brief.' };
const user = { role: 'user', content: 'Hello' };
const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };

test('instructions and tools at the front are the head; later ones are not', () => {
  expect(headLength([tools, system, user, system])).toBe(2);
  expect(headLength([user, system])).toBe(0);
  expect(headLength([system])).toBe(1);
  expect(headLength([])).toBe(0);
});

test('the last text of the head is marked, in the form of its API', () => {
  const marked = (type: string) => ({ role: 'system', content: [{ type, text: 'Be brief.', ...breakpoint }] });
  expect(markHead('openai-chat', [system, user], 1)).toEqual([marked('text'), user]);
  expect(markHead('openai-responses', [tools, system, tools, user], 3)).toEqual([
    tools,
    marked('input_text'),
    tools,
    user,
  ]);
  const two = {
    role: 'developer',
    content: [
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b' },
    ],
  };
  const [head] = markHead('openai-responses', [two, user], 1);
  expect(head).toEqual({ role: 'developer', content: [two.content[0], { ...two.content[1], ...breakpoint }] });
});

test('messages stay as they are without a head, and where the client marks its own', () => {
  const own = { role: 'user', content: [{ type: 'text', text: 'x', ...breakpoint }] };
  for (const [messages, length] of [
    [[user], 0],
    [[tools, user], 1],
    [[system, own], 1],
  ] as const)
    expect(markHead('openai-chat', messages, length)).toBe(messages);
});
