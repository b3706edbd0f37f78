import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { programOf } from '../../../scripts/test-programs.ts';
import type { Measured } from './bodies-child.ts';

async function measure(model: string, budget: number): Promise<Measured> {
  const args = [model, String(budget)];
  const child = fork(programOf('bodies-child'), args, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [measured] = (await once(child, 'message')) as [Measured];
  return measured;
}

test('a body of 1 MB takes at most twice as long as passing it on: under the budget', async () => {
  // A known model's window bounds the budget, and a fold that saves money comes long before that.
  const { ratio, whole } = await measure('unknown-model', 10_000_000);
  expect(whole).toBeGreaterThan(0);
  expect(ratio).toBeLessThanOrEqual(2);
});

test('a body of 1 MB takes at most twice as long as passing it on: folded', async () => {
  const { ratio, whole } = await measure('claude-opus-5-5', 150_000);
  expect(whole).toBe(0);
  expect(ratio).toBeLessThanOrEqual(2);
});
