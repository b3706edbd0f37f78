import { claudeCode } from '../claude-code.ts';
import type { Client } from '../client.ts';
import { codex } from '../codex.ts';
import { measureRequests } from '../measure-requests.ts';
import { type Run, readUpTo } from '../open-run.ts';
import type { ProcessEnd } from '../run-process.ts';
import { checked, foldsIn, type Scenario, throughProxy, unless } from './scenario.ts';

/** The client compacts its own history: if it is asked to, or because its limit is below the proxy's budget. */
export const ownCompaction: Scenario = {
  name: 'own-compaction',
  clients: [claudeCode, codex],
  run: (client) =>
    throughProxy(client, { calls: 40 }, async (run) => {
      const ends = await (client === claudeCode ? commanded(client, run) : automatic(client, run));
      const { requests } = run.stand_in;
      const { compactions, refused } = measureRequests(requests, 40, client.compaction);
      // A result that comes with the request for a summary may be folded in it.
      const { problems } = checked(client, requests, 40, ends, 40 - compactions);
      return {
        figures: `${compactions} compactions, ${foldsIn(run)} folds, ${refused.length} refused`,
        problems: [...problems, ...unless(compactions > 0, 'the client did not compact')],
      };
    }),
};

async function commanded(client: Client, run: Run): Promise<ProcessEnd[]> {
  const ends = [await run.start(client, { prompt: readUpTo(20) })];
  ends.push(await run.start(client, { prompt: '/compact', resume: true }));
  ends.push(await run.start(client, { prompt: readUpTo(40), resume: true }));
  return ends;
}

async function automatic(client: Client, run: Run): Promise<ProcessEnd[]> {
  return [await run.start(client, { compact_at: 0.6 * client.budget })];
}
