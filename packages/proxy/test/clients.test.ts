import { describe, expect, test } from 'vitest';
import { proxyProblems, runProblems } from '../clients/bars.ts';
import { claudeCode } from '../clients/claude-code.ts';
import { codex } from '../clients/codex.ts';
import { runClient } from '../clients/run-client.ts';
import { startProxy } from '../clients/start-proxy.ts';

const asked = process.env.HOLDFAST_CLIENTS === '1';
if (!asked)
  console.warn('clients: not run; set HOLDFAST_CLIENTS=1 to install Claude Code and Codex from npm and run them');

const MINUTES = 15;
const calls = 25;

describe.skipIf(!asked)('real clients, 25 tool calls each', () => {
  // Savings need longer loops: `npm run clients` measures them.
  const short = { cost_share: Number.POSITIVE_INFINITY };
  test.each([claudeCode, codex])(
    '$name, direct and through the proxy',
    { timeout: MINUTES * 60_000 },
    async (client) => {
      const direct = await runClient(client, { calls });
      expect(runProblems(direct)).toEqual([]);
      const proxied = await runClient(client, { calls, proxy: startProxy({ max_tokens: client.budget }) });
      expect(proxyProblems({ ...client, ...short }, proxied, direct)).toEqual([]);
      expect(proxied.folds).toBeGreaterThan(0);
    },
  );
});
