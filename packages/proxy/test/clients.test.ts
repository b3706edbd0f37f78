import { describe, expect, test } from 'vitest';
import { claudeCode } from '../clients/claude-code.ts';
import { codex } from '../clients/codex.ts';
import { geminiCli } from '../clients/gemini-cli.ts';
import { runClient } from '../clients/run-client.ts';
import { proxyProblems, runProblems } from '../clients/run-problems.ts';
import { SCENARIOS } from '../clients/scenarios/all-scenarios.ts';
import { leave } from '../clients/scenarios/leave.ts';
import { ownCompaction } from '../clients/scenarios/own-compaction.ts';
import { recallByMcp, recallByStdio } from '../clients/scenarios/recall.ts';
import { twins } from '../clients/scenarios/twins.ts';
import { startProxy } from '../clients/start-proxy.ts';

const asked = process.env.HOLDFAST_CLIENTS === '1';
if (!asked)
  console.warn(
    'clients: not run; set HOLDFAST_CLIENTS=1 to install Claude Code, Codex and Gemini CLI from npm and run them',
  );

const timeout = 15 * 60_000;
const TESTED = [claudeCode, codex, geminiCli];
const calls = 25;

describe.skipIf(!asked)('real clients', () => {
  // Savings need longer loops: `npm run clients` measures them.
  const short = { cost_share: Number.POSITIVE_INFINITY };
  test.each(TESTED)('$name makes 25 calls, direct and through the proxy', { timeout }, async (client) => {
    const direct = await runClient(client, { calls });
    expect(runProblems(direct)).toEqual([]);
    const proxied = await runClient(client, { calls, proxy: startProxy({ max_tokens: client.budget }) });
    expect(proxyProblems({ ...client, ...short }, proxied, direct)).toEqual([]);
    expect(proxied.folds).toBeGreaterThan(0);
  });

  // The others only run in `npm run clients`: together they would take too long.
  const rare = [twins, leave, ownCompaction, recallByMcp, recallByStdio];
  const scenarios = SCENARIOS.filter((one) => !rare.includes(one));
  const pairs = scenarios.flatMap((scenario) =>
    scenario.clients.filter((client) => TESTED.includes(client)).map((client) => ({ scenario, client })),
  );
  test.each(pairs)('$client.name: $scenario.name', { timeout }, async ({ scenario, client }) => {
    expect((await scenario.run(client)).problems).toEqual([]);
  });
});
