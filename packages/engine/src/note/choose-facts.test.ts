import { expect, test } from 'vitest';
import { chooseFacts } from './choose-facts.ts';
import { EMPTY_DIGEST, type Remark } from './digest.ts';

const NOTHING_VISIBLE = { names: new Set<string>(), whole: new Set<number>() };

test('the oldest of the words of the user are shortened first; what has no room is counted', () => {
  const asked = Array.from({ length: 6 }, (_, i): Remark => [`Rule ${i}: ${'x'.repeat(300)}`, i + 1, 0.9 - 0.1 * i]);
  const digest = { ...EMPTY_DIGEST, asked };
  const { asked: some, omitted } = chooseFacts(digest, 0, 5_500, NOTHING_VISIBLE, []);
  expect(some.map(([text]) => text.length < 200)).toEqual([true, true, false, false, false, false]);
  expect(omitted).toEqual([]);
  const { asked: few, omitted: others } = chooseFacts(digest, 0, 1_500, NOTHING_VISIBLE, []);
  expect(few.length + others.length).toBe(6);
  expect(few[0]?.[1]).toBe(1);
});
