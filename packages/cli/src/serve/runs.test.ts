import type { CrewEvent } from '@holdfast/crew';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRuns } from './runs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Never ends and ignores its signal. */
async function* deaf(): AsyncGenerator<CrewEvent, void> {
  await new Promise(() => {});
}

test('waits at most a second for a request that ignores its signal', async () => {
  const runs = createRuns({ maxConcurrent: 5, resumeMs: 10 });
  let cancelled = 0;
  runs.enter().start((signal) => {
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

/** One event of so many bytes. */
async function* saying(bytes: number): AsyncGenerator<CrewEvent, void> {
  yield { type: 'text-delta', agent: 'a', text: 'x'.repeat(bytes) };
}

test('ends a request that cannot be resumed with its reader, and does not keep it', async () => {
  const runs = createRuns({ maxConcurrent: 5, resumeMs: 10_000 });
  let cancelled = 0;
  const run = runs.enter().start(
    (signal) => {
      signal.addEventListener('abort', () => cancelled++);
      return deaf();
    },
    { once: true },
  );
  run.attach();
  run.detach();
  expect(cancelled).toBe(1);
  const over = runs.enter().start(() => saying(10), { once: true });
  await vi.advanceTimersByTimeAsync(0);
  expect([over.buffer.isOver, runs.find(over.id)]).toEqual([true, undefined]);
});

test('does not cancel a resumed request when the old connection dies late', async () => {
  const runs = createRuns({ maxConcurrent: 5, resumeMs: 1_000 });
  let cancelled = 0;
  const run = runs.enter().start((signal) => {
    signal.addEventListener('abort', () => cancelled++);
    return deaf();
  });
  run.attach();
  run.attach();
  run.detach();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(cancelled).toBe(0);
  run.detach();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(cancelled).toBe(1);
});

test('keeps a limited amount of finished requests for a limited time', async () => {
  const runs = createRuns({ maxConcurrent: 5, resumeMs: 1_000 });
  const all: string[] = [];
  for (let i = 0; i < 4; i++) {
    all.push(runs.enter().start(() => saying(20_000_000)).id);
    await vi.advanceTimersByTimeAsync(1);
  }
  const kept = () => all.map((id) => runs.find(id) !== undefined);
  expect(kept()).toEqual([false, true, true, true]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(kept()).toEqual([false, false, false, false]);
});
