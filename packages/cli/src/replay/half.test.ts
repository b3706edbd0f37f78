import { expect, test } from 'vitest';
import { halfOf } from './half.ts';

test('a conversation is always in the same half, wherever it lies, and its parts are in it, too', () => {
  for (let n = 0; n < 20; n++) {
    const half = halfOf(`logs/talk-${n}.jsonl`);
    for (const name of [`talk-${n}.jsonl`, `C:\\logs\\talk-${n}.jsonl`, `talk-${n}-seg3.jsonl`, `talk-${n}.jsonl#2`])
      expect(halfOf(name), name).toBe(half);
    expect(halfOf(`talk-${n}.jsonl#4 (side chain)`)).toBe(half);
  }
});

test('the halves are about the same size', () => {
  const first = Array.from({ length: 1000 }, (_, n) => halfOf(`${n}.jsonl`)).filter((half) => half === 1);
  expect(first.length).toBeGreaterThan(450);
  expect(first.length).toBeLessThan(550);
});
