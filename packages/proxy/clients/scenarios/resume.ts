import { claudeCode } from '../claude-code.ts';
import { codex } from '../codex.ts';
import { readUpTo } from '../open-run.ts';
import { opencode } from '../opencode.ts';
import { pi } from '../pi.ts';
import { qwenCode } from '../qwen-code.ts';
import { checked, foldsIn, readsHead, type Scenario, throughProxy, unless } from './scenario.ts';

/** A client is started again and continues its conversation, whose view is still in the cache. */
export const resume: Scenario = {
  name: 'resume',
  clients: [claudeCode, codex, opencode, pi, qwenCode],
  run: (client) =>
    throughProxy(client, { calls: 40 }, async (run) => {
      const { requests } = run.stand_in;
      const ends = [await run.start(client, { prompt: readUpTo(25) })];
      const starts = [];
      for (const part of [32, 40]) {
        starts.push(requests.length);
        ends.push(await run.start(client, { prompt: readUpTo(part), resume: true }));
      }
      const { measured, problems } = checked(client, requests, 40, ends);
      const cached = starts.filter((at) => readsHead(requests, at)).length;
      return {
        figures: `${foldsIn(run)} folds, ${measured.refused.length} refused, the head cached at ${cached} of 2 starts`,
        problems: [
          ...problems,
          ...unless(foldsIn(run) > 0, 'no folds'),
          ...unless(cached === 2, 'the head was not read from the cache'),
        ],
      };
    }),
};
