import { parseArgs } from 'node:util';
import { CLIENTS } from './all-clients.ts';
import { runProblems } from './bars.ts';
import type { Client } from './client.ts';
import { type ClientRun, runClient } from './run-client.ts';

/*
 * npm run clients [-- --only codex,pi] [--calls 25]: real clients from npm through a loop of tool calls on the stand-in. Prints
 * a table; fails if a bar is missed. Takes some minutes, and 2 GB in the user's cache.
 */

const { values } = parseArgs({
  options: { only: { type: 'string' }, calls: { type: 'string', default: '70' }, compact: { type: 'string' } },
});
const only = values.only?.split(',');
const unknown = only?.filter((name) => !CLIENTS.some((client) => client.name === name)) ?? [];
if (unknown.length > 0)
  throw new Error(`--only ${unknown.join(',')}: expected ${CLIENTS.map(({ name }) => name).join(', ')}`);
const calls = Number(values.calls);

const problems: string[] = [];
print(['client', 'way', 'calls', 'refused', 'largest', 'cost', 'folds', 'compactions', 'requests']);
for (const client of CLIENTS.filter(({ name }) => !only || only.includes(name))) {
  const compact_at = values.compact === undefined ? undefined : Number(values.compact);
  const direct = await runClient(client, { calls, ...(compact_at !== undefined && { compact_at }) });
  show(client, 'direct', direct);
  problems.push(...runProblems(direct).map((problem) => `${client.name}, direct: ${problem}`));
}
for (const problem of problems) console.error(`FAIL ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

function show({ name }: Client, way: string, run: ClientRun): void {
  const { completed, refused, largest_prompt, cost, folds, compactions, requests } = run;
  const figures = [refused.length, largest_prompt, Math.round(cost), folds, compactions, requests].map(String);
  print([name, way, `${completed}/${run.calls}`, ...figures]);
}

function print(cells: readonly string[]): void {
  console.log(cells.map((cell, at) => (at < 2 ? cell.padEnd(12) : cell.padStart(11))).join(' '));
}
