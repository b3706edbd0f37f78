import { expect, onTestFinished, test, vi } from 'vitest';
import type { CrewMessage } from '../config/config.ts';
import { createSaidBefore } from './said-before.ts';

const history = (words: string): CrewMessage[] => [
  { role: 'user', content: words },
  { role: 'assistant', name: 'clerk', content: 'ok' },
];

test('a history that comes back is known again, as a copy too, and by whom a cache still has it', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const before = createSaidBefore();
  before.keep(history('one'), 500);
  expect(before.get(structuredClone(history('one')))).toEqual({ said: 500, warm: true });
  expect(before.get(history('two'))).toBeUndefined();
  expect(before.get(history('one').slice(1))).toBeUndefined();
  vi.advanceTimersByTime(6 * 60_000);
  expect(before.get(history('one'))).toEqual({ said: 500, warm: false });
});

test('the newest conversations are remembered, and no more than a thousand', () => {
  const before = createSaidBefore();
  for (let i = 0; i < 1_001; i++) {
    before.keep(history('first'), i);
    before.keep(history(`words ${i}`), i);
  }
  expect(before.get(history('words 0'))).toBeUndefined();
  expect(before.get(history('first'))).toMatchObject({ said: 1_000 });
  expect(before.get(history('words 1000'))).toMatchObject({ said: 1_000 });
});
