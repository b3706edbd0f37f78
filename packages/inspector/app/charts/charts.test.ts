import { expect, test } from 'vitest';
import { labelsFor } from './labels.ts';
import { scaleOf } from './scale.ts';

test('a scale has round ticks around its values', () => {
  const scale = scaleOf(0, 0.62, 50, 450);
  expect(scale.ticks).toEqual([0, 0.2, 0.4, 0.6, 0.8]);
  expect([scale(0), scale(0.4), scale(0.8)]).toEqual([50, 250, 450]);
  expect(scaleOf(78.4, 100, 0, 1).ticks).toEqual([75, 80, 85, 90, 95, 100]);
  expect(scaleOf(5, 5, 0, 1).ticks.length).toBeGreaterThan(1);
});

test('a label is placed next to its point, elsewhere if taken, or left out', () => {
  const alone = labelsFor([{ text: '20k', x: 100, y: 100 }]);
  expect(alone).toEqual([{ text: '20k', x: 113, y: 104 }]);
  const [, second] = labelsFor([
    { text: '20k', x: 100, y: 100 },
    { text: '40k', x: 90, y: 100 },
  ]);
  expect(second).toMatchObject({ text: '40k', x: expect.toSatisfy((x: number) => x < 90) });
  const crowd = labelsFor(Array.from({ length: 12 }, () => ({ text: '80k', x: 50, y: 50 })));
  expect(crowd.filter((label) => label === undefined).length).toBeGreaterThan(0);
});

test('a label avoids lines if possible and stays within bounds', () => {
  const point = { text: '20k', x: 100, y: 100 };
  const line = [108, 112, 116].map((x) => ({ x, y: 100 }));
  expect(labelsFor([point], { lines: line })[0]?.x).toBeLessThan(90);
  const inside = { left: 95, right: 200, top: 0, bottom: 200 };
  expect(labelsFor([point], { lines: line, inside })[0]).toMatchObject({ x: 111, y: 92 });
  const everywhere = Array.from({ length: 400 }, (_, n) => ({ x: 60 + (n % 20) * 4, y: 60 + Math.floor(n / 20) * 4 }));
  expect(labelsFor([point], { lines: everywhere })[0]).toMatchObject({ x: 113, y: 104 });
});
