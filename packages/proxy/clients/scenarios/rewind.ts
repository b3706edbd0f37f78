import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claudeCode } from '../claude-code.ts';
import { readUpTo } from '../open-run.ts';
import { checked, foldsIn, readsHead, type Scenario, throughProxy, unless } from './scenario.ts';

const BACK_TO = 10;

/** The user goes back to before the folds and continues from there, then resumes. */
export const rewind: Scenario = {
  name: 'rewind',
  clients: [claudeCode],
  run: (client) =>
    throughProxy(client, { calls: 40 }, async (run) => {
      const { requests } = run.stand_in;
      const ends = [await run.start(client, { prompt: readUpTo(25) })];
      const folds = foldsIn(run);
      const args = await argumentsFor(run.home, BACK_TO);
      const start = requests.length;
      ends.push(await run.start(client, { prompt: readUpTo(30), args }));
      ends.push(await run.start(client, { prompt: readUpTo(40), resume: true }));
      const { measured, problems } = checked(client, requests, 40, ends);
      const isBack = !JSON.stringify(requests[start]?.body).includes(`call_loop_${BACK_TO + 1}`);
      const isCached = readsHead(requests, start);
      return {
        figures: `${foldsIn(run)} folds, ${measured.refused.length} refused, the head ${isCached ? '' : 'not '}cached after it`,
        problems: [
          ...problems,
          ...unless(folds > 0 && foldsIn(run) > folds, 'it did not fold before and after'),
          ...unless(isBack, 'it did not go back'),
          ...unless(isCached, 'the head was not read from the cache'),
        ],
      };
    }),
};

/** What makes Claude Code continue its only session after the result of this call. */
async function argumentsFor(home: string, call: number): Promise<string[]> {
  const projects = join(home, '.claude', 'projects');
  const [project = ''] = await readdir(projects);
  const files = await readdir(join(projects, project));
  const file = files.find((name) => name.endsWith('.jsonl')) ?? '';
  const lines = (await readFile(join(projects, project, file), 'utf8')).trim().split('\n');
  const at = lines.find((line) => line.includes(`"tool_use_id":"call_loop_${call}"`)) ?? '{}';
  const { uuid } = JSON.parse(at) as { readonly uuid?: string };
  return ['--resume', file.replace('.jsonl', ''), '--resume-session-at', uuid ?? ''];
}
