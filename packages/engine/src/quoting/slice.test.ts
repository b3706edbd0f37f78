import { describe, expect, test } from 'vitest';
import { sliceText } from './slice.ts';

describe('slicing a text', () => {
  test.each([
    ['at its end', 0, 2, 'a'],
    ['at its start', 2, 4, 'b'],
    ['at both', 2, 5, 'b'],
    ['beside it', 1, 4, '😀b'],
    ['with nothing left', 2, 3, ''],
    ['of all', 0, 6, 'a😀b😀'],
  ])('never splits a surrogate pair: %s', (_, from, to, cut) => {
    expect(sliceText('a😀b😀', from, to)).toBe(cut);
  });
});
