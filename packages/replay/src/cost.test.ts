import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { createMeter, messageSize } from './cost.ts';

const tariff = { prices: { read: 0.1, write: 1.25 }, overhead: 1000, size: messageSize };
const user = (content: string): ChatMessage => ({ role: 'user', content });
const [a, b, c] = [user('a'.repeat(30)), user('b'.repeat(30)), user('c'.repeat(30))]; // 10 + 4 tokens each

test('messageSize counts text and calls at three characters per token', () => {
  expect(messageSize(user(''))).toBe(4);
  expect(messageSize({ role: 'assistant', content: null })).toBe(4);
  expect(messageSize(user('1234'))).toBe(2 + 4);
  // 4 characters of text, 4 of the name, 8 of the arguments, 20 for the call: 36.
  const call = { id: 'x', function: { name: 'read', arguments: '{"a":12}' } };
  expect(messageSize({ role: 'assistant', content: 'Look', tool_calls: [call] })).toBe(12 + 4);
});

test('a growing view is read where it is known and written where it is new', () => {
  const charge = createMeter(tariff);
  expect(charge([a])).toEqual({ cost: 100 + 17.5, total: 14, cached: 0, rewrite: false });
  expect(charge([a, b])).toEqual({ cost: 101.4 + 17.5, total: 28, cached: 14, rewrite: false });
  expect(charge([a, b])).toEqual({ cost: expect.closeTo(102.8, 9), total: 28, cached: 28, rewrite: false });
});

test('everything after a changed message is new', () => {
  const charge = createMeter(tariff);
  charge([a, b, c]);
  expect(charge([a, c, b])).toEqual({ cost: 101.4 + 35, total: 42, cached: 14, rewrite: true });
  expect(charge([a])).toEqual({ cost: 101.4, total: 14, cached: 14, rewrite: true });
});

test('copies that say the same count as the same message', () => {
  const charge = createMeter(tariff);
  const call = { id: 'x', type: 'function', function: { name: 'read', arguments: '{}' } };
  const first: ChatMessage = { role: 'assistant', content: null, tool_calls: [call] };
  charge([a, first]);
  expect(charge([{ ...a }, { ...first, tool_calls: [{ ...call }] }]).rewrite).toBe(false);
  expect(charge([{ ...a }, { ...first, tool_calls: [{ ...call, id: 'y' }] }]).rewrite).toBe(true);
});

test('the size function is called once per message', () => {
  let asked = 0;
  const size = (): number => {
    asked += 1;
    return 7;
  };
  const charge = createMeter({ ...tariff, size });
  charge([a, b]);
  expect(charge([b, a]).total).toBe(14);
  expect(asked).toBe(2);
});
