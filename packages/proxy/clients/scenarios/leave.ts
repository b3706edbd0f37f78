import { claudeCode } from '../claude-code.ts';
import { codex } from '../codex.ts';
import { measureRequests } from '../measure-requests.ts';
import { readUpTo } from '../open-run.ts';
import { opencode } from '../opencode.ts';
import { pi } from '../pi.ts';
import { qwenCode } from '../qwen-code.ts';
import { endProblems, requestProblems } from '../run-problems.ts';
import { foldsIn, type Scenario, throughProxy, unless } from './scenario.ts';

const PARTS = 30;

/** Thinking is bound to a view: Claude Code removes it once the API has refused it. */
const EXPECTED: Readonly<Record<string, number>> = { [claudeCode.name]: 1 };

/** A client continues a folded conversation without the proxy. */
export const leave: Scenario = {
  name: 'leave',
  clients: [claudeCode, codex, opencode, pi, qwenCode],
  run: (client) =>
    throughProxy(client, { calls: PARTS }, async (run) => {
      const { requests } = run.stand_in;
      const ends = [await run.start(client, { prompt: readUpTo(PARTS - 5) })];
      ends.push(await run.start(client, { prompt: readUpTo(PARTS), resume: true, direct: true }));
      const measured = measureRequests(requests, PARTS, client.compaction);
      const isThinking = (text: string) => text.includes('Invalid `signature` in `thinking` block');
      const others = measured.refused.filter((text) => !isThinking(text));
      const refused = measured.refused.length;
      return {
        figures: `${foldsIn(run)} folds, ${measured.completed} of ${PARTS} calls completed, ${refused} refused for thinking`,
        problems: [
          ...ends.flatMap(endProblems),
          ...requestProblems({ ...measured, refused: others }, PARTS),
          ...unless(foldsIn(run) > 0, 'no folds'),
          ...unless(refused <= (EXPECTED[client.name] ?? 0), `${refused} requests refused`),
        ],
      };
    }),
};
