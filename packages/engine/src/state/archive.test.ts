import { expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import { type Eras, handleOf, newEra } from './archive.ts';

test('a message has the handle of the last rewrite before it', () => {
  const eras = newEra(newEra(newEra([], 4), 9), 7);
  expect([0, 3, 4, 6, 7, 20].map((index) => handleOf(index, eras))).toEqual([
    'm0',
    'm3',
    'm4~1',
    'm6~1',
    'm7~3',
    'm20~3',
  ]);
});

test('thousands of rewrites hardly slow down the search for a handle', async () => {
  const search = (rewrites: number) => {
    const eras: Eras = Array.from({ length: rewrites }, (_, i) => [i, i + 1] as const);
    return () => {
      for (let index = 0; index < 20_000; index++) handleOf(index, eras);
    };
  };
  expect(await timeRatio(search(20_000), search(10), { enough: 40 })).toBeLessThan(40);
});
