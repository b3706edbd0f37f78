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
