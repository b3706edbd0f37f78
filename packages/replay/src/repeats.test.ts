import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { createRepeats } from './repeats.ts';

const user: ChatMessage = { role: 'user', content: 'Go.' };
const asks = (id: string, name: string, input: unknown): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, function: { name, arguments: JSON.stringify(input) } }],
});
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });

const history = [
  user,
  asks('a', 'read_file', { path: 'src/a.ts' }),
  result('a', 'alpha'),
  asks('b', 'run', { command: 'make' }),
  result('b', 'ok'),
];
const masked = history.map((message) => (message.tool_call_id === 'a' ? { ...message, content: 'al… [m2]' } : message));

test('repeated calls are reported, and whether the view still contains the result', () => {
  const again = asks('c', 'read_file', { path: 'src/a.ts' });
  expect(createRepeats()(again, history, history)).toEqual({ repeats: 1, folded: [] });
  expect(createRepeats()(again, history, masked)).toEqual({ repeats: 1, folded: ['read_file {"path":"src/a.ts"}'] });
});

test('reading another part of the same file is a repeat; running another command is not', () => {
  const part = asks('c', 'read_file', { path: 'src/a.ts', offset: 20 });
  expect(createRepeats()(part, history, masked).folded).toHaveLength(1);
  expect(createRepeats()(asks('c', 'run', { command: 'make all' }), history, masked).repeats).toBe(0);
  expect(createRepeats()(asks('c', 'read_file', { path: 'src/b.ts' }), history, masked).repeats).toBe(0);
});

test('the newest result of the same request counts', () => {
  const twice = [...history, asks('c', 'read_file', { path: 'src/a.ts' }), result('c', 'alpha, again')];
  const view = twice.filter(({ tool_call_id: id }) => id !== 'a');
  expect(createRepeats()(asks('d', 'read_file', { path: 'src/a.ts' }), twice, view)).toEqual({
    repeats: 1,
    folded: [],
  });
});
