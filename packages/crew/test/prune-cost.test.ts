import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ExecutionResult, Provider } from '@holdfast/agent';
import { expect, test } from 'vitest';
import { CrewExecutor } from '../src/index.ts';
import { ALONE, talk } from './crew-model.ts';

/**
 * Milliseconds that each takes undisturbed: the quickest of many medians, timed in turns. On a busy machine the compiler
 * lags behind, so it measures until `isEnough`, at most 60 times.
 */
function quickest(works: readonly (() => unknown)[], isEnough: (best: readonly number[]) => boolean): number[] {
  const best = works.map(() => Number.POSITIVE_INFINITY);
  for (let batch = 0; batch < 60 && (batch < 3 || !isEnough(best)); batch++)
    for (const [at, work] of works.entries()) {
      const times = Array.from({ length: 15 }, () => {
        const start = performance.now();
        work();
        return performance.now() - start;
      });
      best[at] = Math.min(best[at] ?? 0, times.sort((a, b) => a - b)[7] ?? Number.POSITIVE_INFINITY);
    }
  return best;
}

const provider = () => ({ name: 'none', execute: () => Promise.reject(new Error('nobody is asked')) });

test('pruning 1,000 messages takes no longer than a few hundred copies of the list', () => {
  const crew = new CrewExecutor(ALONE, { provider });
  const history = talk(1_000, 400);
  const COPIES = 100;
  const works = [
    () => crew.pruneHistory(history),
    () => {
      // A single copy is too short for the clock.
      for (let i = 0; i < COPIES; i++) copied = [...history];
    },
    () => {
      let kept = history;
      for (let i = 0; i < 100; i++) kept = crew.pruneHistory([...kept, { role: 'user', content: `${i}` }]);
    },
  ];
  const isEnough = ([prune = 0, copies = 0, often = 0]: readonly number[]) =>
    prune / (copies / COPIES) < 500 && often / 100 < prune;
  const [prune = 0, copies = 0, often = 0] = quickest(works, isEnough);
  const copy = copies / COPIES;
  console.log(
    `pruneHistory: 1,000 messages in ${prune.toFixed(3)} ms, ${(prune / copy).toFixed(0)} copies of the list (${copy.toFixed(5)} ms each), 100 appends and prunes in ${often.toFixed(2)} ms`,
  );
  expect(copied).toHaveLength(1_000);
  // About 230 on a quiet machine.
  expect(prune / copy).toBeLessThan(700);
  // One more message costs little: only 51 messages are pruned again.
  expect(often / 100).toBeLessThan(prune);
});
let copied: readonly unknown[] = [];

/** A model that uses a tool so many times, and answers. */
function busy(calls: number): Provider {
  const tokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    name: 'busy',
    async execute(_, { onCheckpoint } = {}) {
      for (let i = 0; i < calls; i++) {
        const open = { calls: [{ id: `${i}`, name: 'look', input: {} }] };
        await onCheckpoint?.({ type: 'state', conversationState: { open } } as never);
        await onCheckpoint?.({
          type: 'result',
          id: `${i}`,
          text: Buffer.alloc(20_000, `${i} `).toString(),
          failed: false,
        } as never);
      }
      return { success: true, output: 'ok', tokens, requests: calls + 1 } as unknown as ExecutionResult;
    },
  };
}

/** Bytes in use once what nobody needs is gone. */
function held(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}

test('more than 100 prunes in one request: neither the history nor the memory grows', async () => {
  const sizes: number[] = [];
  let prunes = 0;
  const heap: number[] = [];
  const crew = new CrewExecutor(ALONE, {
    provider: () => busy(400),
    onEvent(event) {
      if (event.type !== 'history-append') return;
      sizes.push(event.after);
      if (event.after < event.grown) prunes++;
      if (prunes === 100 || prunes === 390) heap.push(held());
    },
  });
  const result = await crew.execute('go', talk(50, 2_000));
  expect(result).toMatchObject({ status: 'complete', pruned: 51 + 2 * 400 + 1 - result.history.length });
  expect(prunes).toBeGreaterThan(390);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
  // What 290 more of them would have kept: 290 results of 20,000 characters.
  const [first = 0, last = Number.POSITIVE_INFINITY] = [heap[0], heap.at(-1)];
  expect(last - first).toBeLessThan((290 * 20_000) / 4);
});
