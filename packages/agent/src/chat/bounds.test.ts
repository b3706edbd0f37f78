import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ExecutionResult } from '../providers/provider.ts';
import { createBounds } from './bounds.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const result = (more: Partial<ExecutionResult> = {}): ExecutionResult => ({
  success: true,
  output: 'Done.',
  filesChanged: [],
  iterationComplete: true,
  ...more,
});

test('costs add up over prompts; continuing after the limit grants the same amount again', async () => {
  const bounds = createBounds({ max_cost: 1 });
  const say = (spent: number) => bounds.run(undefined, async () => result({ cost: { spent } }));
  expect(bounds.spent()).toBeUndefined();
  await say(0.6);
  expect(bounds.spent()).toBeUndefined();
  const left: unknown[] = [];
  await bounds.run(undefined, async ({ max_cost }) => {
    left.push(max_cost);
    return result({ cost: { spent: 0.5 } });
  });
  expect(left).toEqual([0.4]);
  expect(bounds.spent()).toMatchObject({
    success: false,
    budget: 'cost',
    error: '$1.1000 of $1 spent (execution.max_cost)',
  });
  expect(bounds.spent()).toBeUndefined();
});

test('the time limit ends an answer; waiting for the user does not count', async () => {
  const bounds = createBounds({ max_minutes: 1 });
  const answer = async (signal: AbortSignal | undefined) => {
    await bounds.waiting(async () => void (await vi.advanceTimersByTimeAsync(10 * 60_000)));
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(signal?.aborted).toBe(true);
    return result({ success: false, errorCategory: 'cancelled' });
  };
  const ended = await bounds.run(undefined, ({ signal }) => answer(signal));
  expect(ended).toMatchObject({ budget: 'time', error: 'the answers took 1 minute (execution.max_minutes)' });
});

test('an interrupted answer reports no limit', async () => {
  const stop = new AbortController();
  stop.abort();
  const ended = await createBounds({ max_minutes: 1 }).run(stop.signal, async () =>
    result({ success: false, errorCategory: 'cancelled' }),
  );
  expect(ended.budget).toBeUndefined();
});
