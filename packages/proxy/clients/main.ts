import { parseArgs } from 'node:util';
import { CLIENTS } from './all-clients.ts';
import type { Client } from './client.ts';
import { type ClientRun, runClient } from './run-client.ts';
import { CALLS_FOR_COST, compactionProblems, proxyProblems, runProblems } from './run-problems.ts';
import { SCENARIOS } from './scenarios/all-scenarios.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { startProxy } from './start-proxy.ts';

/*
 * npm run clients [-- --only codex,pi] [--calls 25] [--do loop,twins]: real clients from npm on the stand-in. `loop` is a loop of
 * tool calls: direct, through the proxy, and through the proxy while they would compact their history at 1.5 times its budget.
 * The rest are scenarios. Prints tables and fails if a bar is missed. Takes about ten minutes, and 2 GB in the user's cache.
 */

const COMPACT_AT = 1.5;
const LOOP = 'loop';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    do: { type: 'string' },
    calls: { type: 'string', default: `${CALLS_FOR_COST}` },
  },
});
const calls = Number(values.calls);
const clients = chosen('client', CLIENTS, values.only);
const wanted = chosen('test', [{ name: LOOP }, ...SCENARIOS], values.do);
const problems: string[] = [];

if (wanted.some(({ name }) => name === LOOP)) {
  print('client', 'way', 'calls', 'refused', 'largest', 'cost', 'share', 'folds', 'compactions');
  for (const client of clients) await runLoops(client);
  if (calls < CALLS_FOR_COST) console.log(`no bar for the cost: that takes ${CALLS_FOR_COST} calls`);
}
for (const scenario of SCENARIOS.filter((one) => wanted.includes(one))) await runScenario(scenario);
for (const problem of problems) console.error(`FAIL ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Those that are named, or all. Throws for a name that none has. */
function chosen<T extends { readonly name: string }>(what: string, all: readonly T[], names?: string): readonly T[] {
  if (names === undefined) return all;
  return names.split(',').map((name) => {
    const one = all.find((item) => item.name === name);
    if (!one) throw new Error(`unknown ${what} "${name}": expected ${all.map((item) => item.name).join(', ')}`);
    return one;
  });
}

async function runLoops(client: Client): Promise<void> {
  const proxy = startProxy({ max_tokens: client.budget });
  const direct = await runClient(client, { calls });
  show(client, 'direct', direct, direct, runProblems(direct));
  const proxied = await runClient(client, { calls, proxy });
  show(client, 'proxy', proxied, direct, proxyProblems(client, proxied, direct));
  if (!client.compacts) return;
  const compacting = await runClient(client, { calls, proxy, compact_at: COMPACT_AT * client.budget });
  show(client, 'compacting', compacting, direct, compactionProblems(compacting));
}

async function runScenario({ name, clients: able, run }: Scenario): Promise<void> {
  for (const client of able.filter((one) => clients.includes(one))) {
    const found = await run(client);
    console.log(`${client.name.padEnd(12)} ${name}: ${found.figures}`);
    problems.push(...found.problems.map((problem) => `${client.name}, ${name}: ${problem}`));
  }
}

function show({ name }: Client, way: string, run: ClientRun, direct: ClientRun, found: readonly string[]): void {
  const { completed, refused, largest_prompt, cost, folds, compactions } = run;
  const share = (cost / direct.cost).toFixed(2);
  const sizes = [refused.length, largest_prompt, Math.round(cost), share, folds, compactions];
  print(name, way, `${completed}/${run.calls}`, ...sizes);
  problems.push(...found.map((problem) => `${name}, ${way}: ${problem}`));
}

function print(...cells: readonly (string | number)[]): void {
  console.log(cells.map((cell, at) => (at < 2 ? `${cell}`.padEnd(12) : `${cell}`.padStart(11))).join(' '));
}
