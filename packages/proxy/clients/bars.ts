import type { Client } from './client.ts';
import type { ClientRun } from './run-client.ts';

/** What is wrong with a run by itself, one line each: calls not made, refused requests, a bad end. Pure. */
export function runProblems(run: ClientRun): string[] {
  const { calls, completed, refused, exit_code, timed_out, output } = run;
  const problems: string[] = [];
  if (timed_out) problems.push('did not finish in time');
  else if (exit_code !== 0) problems.push(`ended with ${exit_code}: ${output.trim().slice(-300)}`);
  if (completed < calls) problems.push(`completed ${completed} of ${calls} calls`);
  const [first] = refused;
  if (first !== undefined) problems.push(`${refused.length} requests refused, the first with: ${first}`);
  return problems;
}

/** What is wrong with a run through the proxy, next to the same run without it. Pure. */
export function proxyProblems(client: Client, run: ClientRun, direct: ClientRun): string[] {
  const problems = runProblems(run);
  const share = run.cost / direct.cost;
  if (share > client.cost_share) problems.push(`costs ${share.toFixed(2)} of direct, more than ${client.cost_share}`);
  if (run.largest_prompt > client.budget)
    problems.push(`the largest prompt has ${run.largest_prompt} tokens, more than the budget of ${client.budget}`);
  return problems;
}

/** What is wrong with a run of a client that may compact its own history. Pure. */
export function compactionProblems(run: ClientRun): string[] {
  const problems = runProblems(run);
  if (run.compactions > 0) problems.push(`the client compacted its own history, in ${run.compactions} requests`);
  return problems;
}
