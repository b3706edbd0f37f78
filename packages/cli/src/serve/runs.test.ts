import type { CrewEvent } from '@holdfast/agent/crew';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRuns } from './runs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Never ends, whatever it is told. */
async function* deaf(): AsyncGenerator<CrewEvent, void> {
  await new Promise(() => {});
}

test('a request that does not heed its signal holds the end up for a second at most', async () => {
  const runs = createRuns({ max_concurrent: 5, resume_ms: 10 });
  let cancelled = 0;
  runs.start((signal) => {
    signal.addEventListener('abort', () => cancelled++);
    return deaf();
  });
  let closed = 0;
  void runs.close(60_000).then(() => closed++);
  await vi.advanceTimersByTimeAsync(30_000);
  expect([cancelled, closed]).toEqual([0, 0]);
  // As on a second Ctrl-C.
  void runs.close(0).then(() => closed++);
  await vi.advanceTimersByTimeAsync(10);
  expect([cancelled, closed]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(closed).toBe(1);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(closed).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});
