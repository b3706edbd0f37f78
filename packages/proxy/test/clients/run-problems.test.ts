import { expect, test } from 'vitest';
import { CLIENTS } from '../../clients/all-clients.ts';
import type { ClientRun } from '../../clients/run-client.ts';
import { CALLS_FOR_COST, proxyProblems } from '../../clients/run-problems.ts';

const [client] = CLIENTS;

function run(calls: number, cost: number): ClientRun {
  const sizes = { requests: calls, completed: calls, largest_prompt: 1_000, folds: 1, compactions: 0 };
  return { ...sizes, calls, refused: [], cost, exit_code: 0, timed_out: false, output: '' };
}

test.each([
  [40, []],
  [CALLS_FOR_COST, [expect.stringMatching(/^costs 0\.95 of direct, more than/)]],
])('the cost of a run of %i calls is held to the bar only if folds had time to pay', (calls, problems) => {
  expect(client && proxyProblems(client, run(calls, 95), run(calls, 100))).toEqual(problems);
});
