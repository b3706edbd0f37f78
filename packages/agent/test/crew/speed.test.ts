import { expect, test } from 'vitest';
import { CrewExecutor } from '../../src/crew/index.ts';
import { ALONE, talk } from './crew-model.ts';

/** Milliseconds that something takes when nothing else gets in its way: the quickest of many medians. */
function quickest(work: () => unknown, batches = 20): number {
  const medians = Array.from({ length: batches }, () => {
    const times = Array.from({ length: 15 }, () => {
      const start = performance.now();
      work();
      return performance.now() - start;
    });
    return times.sort((a, b) => a - b)[7] ?? Number.POSITIVE_INFINITY;
  });
  return Math.min(...medians);
}

test('BenchmarkPruneHistory: 1,000 messages in less than 1 ms, and 100 times in one request without growth', () => {
  const provider = () => ({ name: 'none', execute: () => Promise.reject(new Error('nobody is asked')) });
  const crew = new CrewExecutor(ALONE, { provider });
  const history = talk(1_000, 400);
  const prune = quickest(() => crew.pruneHistory(history));
  const copy = quickest(() => [...history]);
  const often = quickest(() => {
    let kept = history;
    for (let i = 0; i < 100; i++) kept = crew.pruneHistory([...kept, { role: 'user', content: `${i}` }]);
    expect(kept.length).toBeLessThanOrEqual(50);
  }, 3);
  console.log(
    `pruneHistory: 1,000 messages in ${prune.toFixed(3)} ms (a copy of the list takes ${copy.toFixed(4)} ms), 100 appends and prunes in ${often.toFixed(2)} ms`,
  );
  expect(prune).toBeLessThan(1);
  expect(often / 100).toBeLessThan(1);
});
