import { expect, test } from 'vitest';
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

test('a handle is found as fast after thousands of rewrites', () => {
  const time = (rewrites: number) => {
    const eras: Eras = Array.from({ length: rewrites }, (_, i) => [i, i + 1] as const);
    const start = performance.now();
    for (let index = 0; index < 20_000; index++) handleOf(index, eras);
    return performance.now() - start;
  };
  time(10);
  expect(time(20_000)).toBeLessThan(40 * time(10) + 20);
});
