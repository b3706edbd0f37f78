import type { Client } from './client.ts';
import type { Measured } from './measure-requests.ts';
import type { ClientRun } from './run-client.ts';
import type { ProcessEnd } from './run-process.ts';

/** What is wrong with how a client ended, one line each. Pure. */
export function endProblems({ exit_code, timed_out, output }: ProcessEnd): string[] {
  if (timed_out) return ['did not finish in time'];
  return exit_code === 0 ? [] : [`ended with ${exit_code}: ${output.trim().slice(-300)}`];
}

/** What is wrong with requests, one line each: calls not made, refused requests. Pure. */
export function requestProblems({ completed, refused }: Measured, calls: number): string[] {
  const problems: string[] = [];
  if (completed < calls) problems.push(`completed ${completed} of ${calls} calls`);
  const [first] = refused;
  if (first !== undefined) problems.push(`${refused.length} requests refused, the first with: ${first}`);
  return problems;
}

/** What is wrong with a prompt that is larger than the budget. Pure. */
export function budgetProblems({ largest_prompt: largest }: Measured, { budget }: Client): string[] {
  return largest > budget ? [`the largest prompt has ${largest} tokens, more than the budget of ${budget}`] : [];
}

/** What is wrong with a run by itself. Pure. */
export function runProblems(run: ClientRun): string[] {
  return [...endProblems(run), ...requestProblems(run, run.calls)];
}

/** The calls of a run for which `cost_share` is a bar: in a shorter one, folds have had less time to pay. */
export const CALLS_FOR_COST = 70;

/** What is wrong with a run through the proxy, next to the same run without it. Pure. */
export function proxyProblems(client: Client, run: ClientRun, direct: ClientRun): string[] {
  const problems = [...runProblems(run), ...budgetProblems(run, client)];
  if (run.calls < CALLS_FOR_COST) return problems;
  const share = run.cost / direct.cost;
  if (share > client.cost_share) problems.push(`costs ${share.toFixed(2)} of direct, more than ${client.cost_share}`);
  return problems;
}

/** What is wrong with a run of a client that may compact its own history. Pure. */
export function compactionProblems(run: ClientRun): string[] {
  const problems = runProblems(run);
  if (run.compactions > 0) problems.push(`the client compacted its own history, in ${run.compactions} requests`);
  return problems;
}
