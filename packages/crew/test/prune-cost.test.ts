import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ExecutionResult, Provider } from '@holdfast/agent';
import { expect, test } from 'vitest';
import { timeRatio } from '../../../scripts/time-ratio.ts';
import { CrewExecutor } from '../src/index.ts';
import { ALONE, talk } from './crew-model.ts';

const provider = () => ({ name: 'none', execute: () => Promise.reject(new Error('nobody is asked')) });

test('the time to prune grows with the messages, and one more message costs little', async () => {
  const crew = new CrewExecutor(ALONE, { provider });
  const [long, longer] = [talk(1_000, 400), talk(8_000, 400)];
  const prune = (history: typeof long) => () => {
    for (let i = 0; i < 10; i++) crew.pruneHistory(history);
  };
  expect(await timeRatio(prune(longer), prune(long), { enough: 16 })).toBeLessThan(24);
  // Only 51 messages are pruned again.
  const appendAndPrune = () => {
    let kept = long;
    for (let i = 0; i < 10; i++) kept = crew.pruneHistory([...kept, { role: 'user', content: `${i}` }]);
  };
  expect(await timeRatio(appendAndPrune, prune(long), { enough: 0.5 })).toBeLessThan(1);
});

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

/** Bytes in use after a garbage collection. */
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
