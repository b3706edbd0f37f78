import { expect, test } from 'vitest';
import { anthropic, noteText } from '../index.ts';
import type { Budget } from '../size/budget.ts';
import { EMPTY_DIGEST } from './digest.ts';
import { fittingNote } from './fit-note.ts';

test('a note fits into the room that is left, however many words of the user it leaves out', () => {
  const scope = 'a-long-name-of-this-conversation';
  const dialect = { ...anthropic<object>(), handles: { scope } };
  const digest = { ...EMPTY_DIGEST, omitted: [10, 15, 16, 19, 27, 30, 31, 33] };
  const calibration = { slope: 1, squares: 0, products: 0 };
  const revisions = [[0, 0, scope]] as const;
  const lengths = Array.from({ length: 600 }, (_, room) => {
    const size = { messages: 100, tokens: 300 + room };
    const budget = {
      max: size,
      reserve: 0,
      note: 10_000,
      summary: 0,
      words: 0,
      rates: { character: 0.25, message: 0 },
    };
    const input = { dialect, budget: budget as Budget, calibration, revisions, seen: 41 };
    const text = noteText(fittingNote(input, [], digest, 'digest', '') ?? []);
    return { over: text.length > size.tokens, tells: text.includes('8 more messages') };
  });
  expect(lengths.filter(({ over }) => over)).toEqual([]);
  expect(lengths.some(({ tells }) => tells)).toBe(true);
});
