import { expect, test } from 'vitest';
import { chooseFacts, lengthWithNames } from './choose-facts.ts';
import { EMPTY_DIGEST, type Remark } from './digest.ts';

const NOTHING_VISIBLE = { names: new Set<string>(), whole: new Set<number>() };

test('the oldest of the words of the user are shortened first; what has no room is counted', () => {
  const asked = Array.from({ length: 6 }, (_, i): Remark => [`Rule ${i}: ${'x'.repeat(300)}`, i + 1, 0.9 - 0.1 * i]);
  const digest = { ...EMPTY_DIGEST, asked };
  const { asked: some, omitted } = chooseFacts(digest, 0, { plain: 5_500, words: 0 }, NOTHING_VISIBLE, []);
  expect(some.map(([text]) => text.length < 200)).toEqual([true, true, false, false, false, false]);
  expect(omitted).toEqual([]);
  const { asked: few, omitted: others } = chooseFacts(digest, 0, { plain: 1_500, words: 0 }, NOTHING_VISIBLE, []);
  expect(few.length + others.length).toBe(6);
  expect(few[0]?.[1]).toBe(1);
});

test('room for words is for words alone: even those that tell little find room in it, and names take none of it', () => {
  const findings = Array.from(
    { length: 60 },
    (_, i): Remark => [`Step ${i}: ${'x'.repeat(60)}`, i + 1, i % 2 ? 0.5 : 0.1],
  );
  const digest = { ...EMPTY_DIGEST, findings };
  const chosen = (words: number) => chooseFacts(digest, 0, { plain: 2_000, words }, NOTHING_VISIBLE, []).findings;
  expect(chosen(0).every(([, , weight]) => weight === 0.5)).toBe(true);
  expect(chosen(2_000).length).toBeGreaterThan(chosen(0).length);
  expect(chosen(10_000)).toHaveLength(60);
  expect(lengthWithNames({ plain: 2_000, words: 10_000 }, 1_000)).toBe(2_000);
  expect(lengthWithNames({ plain: 2_000, words: 10_000 }, 8_000)).toBe(8_800);
});

test('words of the assistant that have no room are shortened, the oldest first, before any of them go', () => {
  const findings = Array.from({ length: 6 }, (_, i): Remark => [`Fact ${i}: ${'x'.repeat(300)}`, i + 1, 0.5]);
  const digest = { ...EMPTY_DIGEST, findings };
  const chosen = (words: number) => chooseFacts(digest, 0, { plain: 0, words }, NOTHING_VISIBLE, []).findings;
  expect(chosen(1_500).map(([text]) => text.length < 200)).toEqual([true, true, true, false, false, false]);
  expect(chosen(400).map(([, at]) => at)).toEqual([4, 5, 6]);
});
