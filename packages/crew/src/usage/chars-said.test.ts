import { expect, onTestFinished, test, vi } from 'vitest';
import type { CrewMessage } from '../config/config.ts';
import { createCharsMemory } from './chars-said.ts';

const history = (words: string): CrewMessage[] => [
  { role: 'user', content: words },
  { role: 'assistant', name: 'clerk', content: 'ok' },
];

test('recognizes a returned history, also as a copy, and knows whether a cache may still hold it', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const memory = createCharsMemory();
  memory.keep(history('one'), 500);
  expect(memory.get(structuredClone(history('one')))).toEqual({ said: 500, warm: true });
  expect(memory.get(history('two'))).toBeUndefined();
  expect(memory.get(history('one').slice(1))).toBeUndefined();
  vi.advanceTimersByTime(6 * 60_000);
  expect(memory.get(history('one'))).toEqual({ said: 500, warm: false });
});

test('remembers only the newest thousand conversations', () => {
  const memory = createCharsMemory();
  for (let i = 0; i < 1_001; i++) {
    memory.keep(history('first'), i);
    memory.keep(history(`words ${i}`), i);
  }
  expect(memory.get(history('words 0'))).toBeUndefined();
  expect(memory.get(history('first'))).toMatchObject({ said: 1_000 });
  expect(memory.get(history('words 1000'))).toMatchObject({ said: 1_000 });
});
