import { expect, test } from 'vitest';
import { iterationsOf, pairs, roundsOf, together, tokensOf } from './message-forms.ts';

const call = (id: string) => ({ id, function: { name: 'read', arguments: '{"path":"a"}' } });
const CHAT = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: 'I read.', tool_calls: [call('c1'), call('c2')] },
  { role: 'tool', tool_call_id: 'c1', content: 'one' },
  { role: 'tool', tool_call_id: 'c2', content: 'two' },
  { role: 'assistant', content: 'Done.' },
  { role: 'user', content: 'and?' },
];

test('a response with two calls becomes four messages as pairs, or two together', () => {
  const [round, last] = roundsOf(CHAT);
  if (!round || !last) throw new Error('expected two rounds');
  expect(round.asked).toEqual(['go']);
  expect(pairs(round)).toHaveLength(4);
  expect(pairs(round).map((message) => tokensOf(message))).toEqual([31, 5, 31, 5]); // 7 + 2 × (4 + 12 + 20) → ⌈79/3⌉ + 4
  expect(together(round).map((message) => tokensOf(message))).toEqual([31, 6]);
  expect(pairs(last)).toEqual(together(last));
});

test('each iteration has at least the requested number of calls', () => {
  const rounds = roundsOf([...CHAT.slice(0, 4), ...CHAT.slice(1, 4), ...CHAT.slice(1, 4)]);
  expect(iterationsOf(rounds, [3, 1]).map((iteration) => iteration.length)).toEqual([2, 1]);
});
