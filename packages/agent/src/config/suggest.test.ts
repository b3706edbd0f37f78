import { expect, test } from 'vitest';
import { nearest } from './suggest.ts';

const WORDS = ['max_iterations', 'max_cost', 'max_minutes', 'role'];

test.each([
  ['max_iteratons', 'max_iterations'],
  ['maxIterations', 'max_iterations'],
  ['max-cost', 'max_cost'],
  ['max_csot', 'max_cost'],
  ['rol', 'role'],
  ['roel', 'role'],
  ['max_min', 'max_minutes'],
  ['max', undefined],
  ['zebra', undefined],
  ['', undefined],
  ['x'.repeat(1_000_000), undefined],
])('%s', (word, meant) => {
  expect(nearest(word, WORDS)).toBe(meant);
});
