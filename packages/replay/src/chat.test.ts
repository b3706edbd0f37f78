import { expect, test } from 'vitest';
import { plainText, toChat } from './chat.ts';

test('toChat turns blocks into chat messages', () => {
  const thinking = { type: 'thinking', thinking: 'Read it first.', signature: 'x' };
  const call = { type: 'tool_use', id: 't1', name: 'read', input: { path: 'a.ts' } };
  const result = {
    type: 'tool_result',
    tool_use_id: 't1',
    content: [{ type: 'text', text: 'one' }, { type: 'image' }],
  };
  const native = [
    { role: 'user', content: 'Fix a.ts' },
    { role: 'assistant', content: [thinking, { type: 'text', text: 'Reading.' }, call] },
    { role: 'user', content: [{ type: 'text', text: 'Hurry.' }, result, { type: 'image', source: {} }] },
    { role: 'assistant', content: [{ ...call, id: 't2' }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't2' }] },
  ];
  const chatCall = { id: 't1', type: 'function', function: { name: 'read', arguments: '{"path":"a.ts"}' } };
  expect(toChat(native)).toEqual([
    { role: 'user', content: 'Fix a.ts' },
    { role: 'assistant', content: 'Read it first.\nReading.', tool_calls: [chatCall] },
    { role: 'tool', tool_call_id: 't1', content: 'one\n[image]' },
    { role: 'user', content: 'Hurry.\n[attachment]' },
    { role: 'assistant', content: null, tool_calls: [{ ...chatCall, id: 't2' }] },
    { role: 'tool', tool_call_id: 't2', content: '' },
  ]);
});

test('plainText never shows encoded data', () => {
  const url = `data:image/png;base64,${'A'.repeat(100)}`;
  expect(
    plainText([
      { type: 'image_url', image_url: { url } },
      { type: 'file', file: { file_data: url } },
    ]),
  ).toBe('[image]\n[attachment]');
  expect(plainText([{ type: 'tool_reference', tool_name: 'x' }])).toBe('{"type":"tool_reference","tool_name":"x"}');
  expect(plainText({ ok: true })).toBe('{"ok":true}');
  expect(plainText(null)).toBe('');
});
