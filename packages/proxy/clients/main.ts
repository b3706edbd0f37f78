import { parseArgs } from 'node:util';
import { CLIENTS } from './all-clients.ts';
import { compactionProblems, proxyProblems, runProblems } from './bars.ts';
import type { Client } from './client.ts';
import { type ClientRun, runClient } from './run-client.ts';
import { startProxy } from './start-proxy.ts';

/*
 * npm run clients [-- --only codex,pi] [--calls 25]: real clients from npm in a loop of tool calls on the stand-in: direct,
 * through the proxy, and through the proxy while they would compact their history at 1.5 times its budget. Prints a table and
 * fails if a bar is missed. Takes about six minutes, and 2 GB in the user's cache.
 */

const COMPACT_AT = 1.5;

const { values } = parseArgs({ options: { only: { type: 'string' }, calls: { type: 'string', default: '70' } } });
const calls = Number(values.calls);
const problems: string[] = [];

print('client', 'way', 'calls', 'refused', 'largest', 'cost', 'share', 'folds', 'compactions');
for (const client of chosen(values.only?.split(','))) {
  const proxy = startProxy({ max_tokens: client.budget });
  const direct = await runClient(client, { calls });
  show(client, 'direct', direct, direct, runProblems(direct));
  const proxied = await runClient(client, { calls, proxy });
  show(client, 'proxy', proxied, direct, proxyProblems(client, proxied, direct));
  if (!client.compacts) continue;
  const compacting = await runClient(client, { calls, proxy, compact_at: COMPACT_AT * client.budget });
  show(client, 'compacting', compacting, direct, compactionProblems(compacting));
}
for (const problem of problems) console.error(`FAIL ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

function chosen(names: readonly string[] | undefined): readonly Client[] {
  const unknown = names?.filter((name) => !CLIENTS.some((client) => client.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`unknown client ${unknown.join(', ')}: expected ${CLIENTS.map(({ name }) => name).join(', ')}`);
  return CLIENTS.filter(({ name }) => !names || names.includes(name));
}

function show({ name }: Client, way: string, run: ClientRun, direct: ClientRun, found: readonly string[]): void {
  const { completed, refused, largest_prompt, cost, folds, compactions } = run;
  const share = (cost / direct.cost).toFixed(2);
  print(
    name,
    way,
    `${completed}/${run.calls}`,
    refused.length,
    largest_prompt,
    Math.round(cost),
    share,
    folds,
    compactions,
  );
  problems.push(...found.map((problem) => `${name}, ${way}: ${problem}`));
}

function print(...cells: readonly (string | number)[]): void {
  console.log(cells.map((cell, at) => (at < 2 ? `${cell}`.padEnd(12) : `${cell}`.padStart(11))).join(' '));
}
