import { describe, expect, test } from 'vitest';
import { runProblems } from '../clients/bars.ts';
import { claudeCode } from '../clients/claude-code.ts';
import { codex } from '../clients/codex.ts';
import { runClient } from '../clients/run-client.ts';

const asked = process.env.HOLDFAST_CLIENTS === '1';
if (!asked)
  console.warn('clients: not run; set HOLDFAST_CLIENTS=1 to install Claude Code and Codex from npm and run them');

describe.skipIf(!asked)('real clients', () => {
  const MINUTES = 15;
  test.each([claudeCode, codex])(
    '$name completes a loop of 25 tool calls',
    { timeout: MINUTES * 60_000 },
    async (client) => {
      expect(runProblems(await runClient(client, { calls: 25 }))).toEqual([]);
    },
  );
});
