import { expect, test } from 'vitest';
import { BOX, layOut } from './layout.ts';

const NAMES = ['lead', 'clerk', 'asker', 'judge'];
const edge = (from: string, to: string, count = 0) => ({ from, to, count });
const POSSIBLE = [
  edge('lead', 'asker'),
  edge('asker', 'clerk'),
  edge('lead', 'clerk'),
  edge('clerk', 'judge'),
  edge('lead', 'judge', 0),
  edge('judge', 'lead'),
];

test('agents are placed by their distance from the first, whatever the number and order of handovers', () => {
  const { places } = layOut(NAMES, 'lead', POSSIBLE);
  expect(places.map(({ name, column }) => `${name} ${column}`)).toEqual(['lead 0', 'clerk 1', 'asker 1', 'judge 1']);
  const later = POSSIBLE.toReversed().map((one) => ({ ...one, count: 3 }));
  expect(layOut(NAMES, 'lead', later).places).toEqual(places);
});

test('every edge and its label is inside the picture, and no label covers an agent', () => {
  const chain = [
    edge('lead', 'clerk', 1),
    edge('clerk', 'asker', 1),
    edge('asker', 'lead', 2),
    edge('asker', 'judge', 1),
  ];
  for (const edges of [
    POSSIBLE,
    chain,
    [...chain, edge('lead', 'nobody'), edge('judge', 'lead', 1), edge('judge', 'asker', 1)],
  ]) {
    const { places, ways, width, height } = layOut(NAMES, 'lead', edges);
    for (const { d, middle } of ways) {
      const numbers = [...d.matchAll(/-?[\d.]+/g)].map(Number);
      for (const [at, number] of numbers.entries()) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThanOrEqual(at % 2 === 0 ? width : height);
      }
      const covered = places.filter(
        ({ x, y }) => middle.x > x && middle.x < x + BOX.width && middle.y > y && middle.y < y + BOX.height,
      );
      expect(covered).toEqual([]);
    }
  }
});

test('an agent that nobody hands over to comes last, and a single agent makes a graph, too', () => {
  expect(layOut(['a', 'b'], 'a', []).places.map(({ column }) => column)).toEqual([0, 1]);
  expect(layOut(['a'], undefined, [edge('a', 'a', 2)])).toMatchObject({ ways: [] });
});
